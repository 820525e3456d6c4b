# SPDX-License-Identifier: GPL-2.0-only
"""The part of scripts/check that mails the core of the series, without sending it."""
import email
import email.utils
import functools
import re
import shutil

from checking.checks import Check, Failure, Skip, perform, version_of
from shared.common import ADDRESS, NAME, output

# Not the user who runs this, nor the user's configuration
ENV = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null",
       **{f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
          for what, value in (("NAME", NAME), ("EMAIL", ADDRESS))}}


def addresses(message):
    """The addresses that a mail, or the head of one, goes to."""
    fields = [field for name in ("to", "cc") for field in message.get_all(name, [])]
    return {address for _, address in email.utils.getaddresses(fields) if address}


@functools.cache
def maintainers(series):
    """The addresses that get_maintainer.pl names for the files that are changed."""
    with series.at(series.core):
        lines = perform("get_maintainer.pl",
                        ["scripts/get_maintainer.pl", "--norolestats", "--nokeywords",
                         "--nogit-fallback", "-f", *series.changed(ref=series.core)], "get_maintainer", series)
    found = {email.utils.parseaddr(line)[1] for line in lines} - {""}
    if not found:
        raise Failure("get_maintainer.pl names nobody")
    return found


def judge(series, mails):
    """Fail if a mail is missing, or does not go to those that get_maintainer.pl names."""
    # b4 puts the cover letter of a single patch into its mail
    if len(mails) != 1 + len(series.core_patches) and not len(mails) == len(series.core_patches) == 1:
        raise Failure(f"{len(mails)} mails for {len(series.core_patches)} patches and a cover letter")
    for mail in mails:
        missed = maintainers(series) - addresses(mail)
        if missed:
            raise Failure(f"'{mail['subject']}' does not go to {', '.join(sorted(missed))}")
    first = mails[0]["message-id"]
    for mail in mails[1:]:
        if first not in (mail["references"] or ""):
            raise Failure(f"'{mail['subject']}' is no reply to the cover letter")


def send_email(series):
    """Fail if git send-email would not send the patches as they should be."""
    lacking = re.search(r"not measured on .*", series.cover.read_text())
    if lacking:
        raise Skip(f"the cover letter has no figures: {lacking[0].rstrip(')')}")
    if not shutil.which("git-send-email", path=output("git", "--exec-path")):
        raise Skip("no git send-email here: install git-email")
    lines = perform("git send-email", ["git", "send-email", "--dry-run", "--confirm=never",
                                       "--to-cover", "--cc-cover", "--from", f"{NAME} <{ADDRESS}>",
                                       series.cover, *series.core_patches], "send-email", series,
                    env=ENV)
    # Each mail is shown as its head, between lines of the dry run
    mails = [email.message_from_string(part[part.index("From: "):]) for part in
             "\n".join(lines).split("Dry-OK. Log says:\n")[1:]]
    judge(series, mails)


def b4(series):
    """Fail if b4 cannot prepare and send the branch, in a clone that shares its commits."""
    if not shutil.which("b4"):
        raise Skip("no b4 here: install b4")
    cover = email.message_from_string(series.cover.read_text())
    body = cover.get_payload().split("\n-- \n")[0]
    out = series.out / "b4"
    out.mkdir(parents=True, exist_ok=True)
    title = " ".join(cover["subject"].split()).split("] ", 1)[1]
    (out / "cover").write_text(f"{title}\n\n{body}")
    perform("b4", ["sh", "-ec", """
        out=$1 tree=$2 head=$3; shift 3
        rm -rf "$out/clone" "$out/mail"
        git clone -q --shared --no-checkout "$tree" "$out/clone"
        cd "$out/clone"
        git sparse-checkout set --no-cone /COPYING
        git branch -q base "$(git -C "$tree" rev-parse plts-base)"
        git checkout -qB plts "$(git -C "$tree" rev-parse "$head")"
        git for-each-ref --format='%(refname:short)' refs/heads | grep -vxE 'base|plts' |
                xargs -r git branch -qD
        git config user.name "$GIT_AUTHOR_NAME"
        git config user.email "$GIT_AUTHOR_EMAIL"
        git config b4.prep-cover-strategy branch-description
        b4 prep -e base
        EDITOR="cp $out/cover" b4 prep --edit-cover
        b4 send --no-sign -o "$out/mail" "$@"
        """, "sh", out, series.tree, series.core, "--to", *recipients(cover, "to"), "--cc",
                   *recipients(cover, "cc")], "b4", series, env={**ENV, "HOME": out})
    mails = [email.message_from_bytes(path.read_bytes())
             for path in sorted((out / "mail").glob("*.eml"))]
    judge(series, mails)


def recipients(cover, field):
    return [address for _, address in email.utils.getaddresses(cover.get_all(field, []))]


def checks(series):
    depends = [series.tree_of("plts-base"), [path.read_text() for path in
                                             [series.cover, *series.core_patches]]]
    yield Check("git send-email", ["send-email", version_of("git"), *depends],
                functools.partial(send_email, series))
    yield Check("b4 send", ["b4", version_of("b4"), *depends], functools.partial(b4, series))
