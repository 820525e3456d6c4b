/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LOAD_EXPORTS_H
#define LOAD_EXPORTS_H

unsigned int load_export_a(unsigned int n);
unsigned int load_export_b(unsigned int n);
unsigned int load_export_c(unsigned int n);
unsigned int load_export_d(unsigned int n);
unsigned int load_export_e(unsigned int n);
/* 55 characters, the most that have room for a NUL behind them */
unsigned int load_export_whose_name_takes_all_that_an_entry_can_hold(unsigned int n);

#endif
