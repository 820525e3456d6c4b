#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Loads modules with good and with spoilt symbol versions, see versions.py, and
# looks at the call sites of the function tracer in what is loaded. With "base" as
# its argument it does not expect that call sites are written without mappings.

cd "${0%/*}" || exit 1
base=$1
tracing=/sys/kernel/tracing
[ -d $tracing/events ] || tracing=/sys/kernel/debug/tracing
sites=test_modules/test_load_sites.ko
status=0
n=0

result()
{
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		status=1
	fi
}

skip()
{
	n=$((n + 1))
	echo "ok $n $1 # SKIP $2"
}

# What the kernel says of versions and symbols, in one line
said()
{
	dmesg -c | sed 's/^\[[^]]*\] *//' |
		grep 'symbol version\|version of symbol\|Unknown symbol\|duplicate symbol' |
		sed ':a; N; $!ba; s/\n/; /g'
}

versions()
{
	loaded_on=
	while IFS='|' read -r name on flags answer message; do
		if [ "$on" != "$loaded_on" ]; then
			[ -z "$loaded_on" ] || rmmod test_load_exports
			insmod "versions/$on.ko" || exit 1
			loaded_on=$on
		fi
		dmesg -c >/dev/null
		got=$(./insmod "versions/$name.ko" "$flags")
		[ "$got" != loads ] || rmmod test_load_imports || got="loads and stays"
		heard=$(said)
		[ "$got" = "$answer" ] && [ "$heard" = "$message" ]
		failed=$?
		result $failed "versions $name: $got"
		[ $failed = 0 ] || printf '# %s\n' "expected: $answer" "heard: $heard" \
						    "expected: $message"
	done <versions/cases
	rmmod test_load_exports

	# A name is exported once, so that where it is looked for first does not matter.
	insmod versions/exports.ko
	got=$(./insmod versions/exports-again.ko)
	heard=$(said)
	[ "$got" = "refused, Exec format error" ] &&
		[ "${heard#*duplicate symbol load_export_}" != "$heard" ]
	result $? "the same exports again: $got"
	rmmod test_load_exports
}

# Whether the trace has each of the functions as often as $1 says
traced()
{
	for function in load_site_first load_site_cold load_site_last; do
		[ "$(grep -c ": $function <-" $tracing/trace)" = "$1" ] || return 1
	done
}

trace()
{
	echo nop >$tracing/current_tracer
	echo "$1" >$tracing/set_ftrace_filter
	echo >$tracing/trace
	echo function >$tracing/current_tracer
}

no_trace()
{
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
}

call_sites()
{
	insmod $sites && ./sites test_load_sites $sites
	result $? "call sites of a loaded module"

	trace ":mod:test_load_sites" && echo 1 >/sys/module/test_load_sites/parameters/call &&
		traced 1
	result $? "trace a loaded module"

	no_trace && ./sites test_load_sites $sites
	result $? "call sites after tracing"
	rmmod test_load_sites

	trace ":mod:test_load_sites" && insmod $sites && traced 1 &&
		echo 1 >/sys/module/test_load_sites/parameters/call && traced 2
	result $? "trace from before the load"

	no_trace && ./sites test_load_sites $sites
	result $? "call sites after tracing from before the load"
	rmmod test_load_sites

	echo function >$tracing/current_tracer && insmod $sites && rmmod test_load_sites &&
		no_trace
	result $? "load and unload while all functions are traced"

	i=0
	while [ $i -lt 20 ]; do
		insmod $sites && ./sites test_load_sites $sites >/dev/null &&
			rmmod test_load_sites || break
		i=$((i + 1))
	done
	[ $i = 20 ]
	result $? "load and unload 20 times"
}

# Each mapping for a store is made and taken away by a call of __set_fixmap(), the
# second of which invalidates a TLB entry on all CPUs.
mappings()
{
	if [ ! -e $tracing/function_profile_enabled ]; then
		skip "mappings" "no CONFIG_FUNCTION_PROFILER"
		return
	fi
	echo __set_fixmap >$tracing/set_ftrace_filter || return
	echo 1 >$tracing/function_profile_enabled
	insmod $sites
	echo 0 >$tracing/function_profile_enabled
	calls=$(cat $tracing/trace_stat/function* | awk '$1 == "__set_fixmap" { n += $2 }
							  END { print n + 0 }')
	echo "# $calls calls of __set_fixmap() during the load"
	[ "$base" ] || [ "$calls" = 0 ]
	result $? "mappings"
	no_trace
	rmmod test_load_sites
}

if [ ! -e $sites ]; then
	echo "1..0 # SKIP no test modules"
	exit 4
fi
echo "KTAP version 1"
dmesg -n 4 2>/dev/null
if [ -e versions/cases ]; then
	versions
else
	skip "versions" "no modules with versions"
fi
call_sites
mappings
echo "1..$n"
exit $status
