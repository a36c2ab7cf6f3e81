"""The search for due rows, which every round of background work makes."""

import re

from dryline.tests.many_rows import plans_of

# An index of the open rows alone, or a table with few rows.
READS_FEW_ROWS = re.compile(r"SCAN t1 USING INDEX \w+_open$")
FEW_ROWS = {"voicev1_campaign"}


def test_a_round_without_work_reads_no_finished_and_no_later_rows(app):
    plans = plans_of(app, app.jobs.run_due)
    searches = {sql: plan for sql, plan in plans.items() if "LIMIT" in sql}
    tables = {re.search(r'FROM "(\w+)" AS "t1"', sql)[1] for sql in searches}
    assert tables >= {"queued_call", "call_in_progress", "export", "resource", "voicev1_campaign_data"}
    assert tables >= {"webhook_delivery", "test_run", "echo_run", "whatsapp_sender", "outbound_campaign"}
    for sql, plan in searches.items():
        scans = [line for line in plan.splitlines() if line.startswith("SCAN t1")]
        is_small = re.search(r'FROM "(\w+)"', sql)[1] in FEW_ROWS
        assert is_small or all(map(READS_FEW_ROWS.match, scans)), f"{sql}\n{plan}"
