"""The report of a failing test and the last lines of a session: requests, webhooks, faults and the clock."""

import sys

import pytest

WITH_A_WEBHOOK = """
    import pytest

    def call(dryline, url, fields="summary"):
        workers = dryline.client().workers
        worker = workers.create(name="A", description=None, status=None)
        flow = workers.flows.create(worker.id, name="Main", label="", code="loop:\\n    talk()\\n")
        voice = workers.deployments.voice
        line = voice.create(worker.id, name="Line", phone_number="+14155550100", flow_id=flow.id)
        voice.custom_webhooks.create(line.id, worker_id=worker.id, url=url, fields=fields)
        (log,) = dryline.simulate_calls(deployment_id=line.id)
        whole = getattr(dryline, "stand_in", dryline)
        whole.plane("POST", "/webhooks", {"logId": log, "event": "call_ended"})
        whole.advance(1)
"""
COMMAND = ("--dryline-command", f"{sys.executable} -m dryline")


def text(result):
    return result.stdout.str()


@pytest.mark.parametrize(
    ("url", "line"),
    [
        (
            "http://service.example.test/hook",
            "POST http://service.example.test/hook REFUSED*The host *neither loopback*",
        ),
        (
            "http://127.0.0.1:9/hook",
            "POST http://127.0.0.1:9/hook PENDING after [1-4] attempt*, due at *ConnectionRefused*",
        ),
    ],
)
@pytest.mark.parametrize("fixture", ["dryline", "dryline_in_process"])
def test_a_delivery_that_failed_is_named_with_its_reason(run_pytest, fixture, url, line):
    result = run_pytest(
        WITH_A_WEBHOOK + f"\n    def test_it({fixture}):\n        call({fixture}, {url!r})\n        assert False\n"
    )
    result.stdout.fnmatch_lines(["*Webhooks of dryline at http://*", f"call_ended {line}"])


@pytest.mark.parametrize("fixture", ["dryline", "dryline_in_process"])
def test_a_frozen_clock_is_in_the_heading(run_pytest, fixture):
    result = run_pytest(f"""
        def test_frozen({fixture}):
            {fixture}.freeze("2030-01-02T03:04:05Z")
            assert False

        def test_moving({fixture}):
            {fixture}.freeze()
            {fixture}.unfreeze()
            assert False
    """)
    assert text(result).count("its clock frozen at") == 1
    result.stdout.fnmatch_lines(["*Requests to dryline at *, its clock frozen at 2030-01-02T03:04:05.000Z*"])


UNUSED = {
    "near": (
        'fault(method="POST", path="/api/workers/*", status=503)',
        ["The fault on POST /api/workers/?* was never applied.*", "  nearest: POST /api/workers 201 *(missed: path)"],
    ),
    "skipped": (
        'fault(path="/api/workers", status=503, skip=5)',
        ["*was never applied*", "  1 request matched, and skip, probability, rate_limit or another fault spared it."],
    ),
    "times": (
        'fault(path="/api/workers", delay_ms=1, times=2)',
        ["The fault on /api/workers was applied 1 of 2 times.*"],
    ),
    "content": (
        'fault(path="/api/workers", json={"name": "Back desk"}, status=503)',
        [
            "The fault on /api/workers was never applied.*",
            "  wanted: path '/api/workers', json {'name': 'Back desk'}",
            "  nearest: POST /api/workers 201 *(missed: json.name)",
        ],
    ),
    "answers": (
        'fault(path="/api/workers", answers=[201, 503])',
        ["The fault on /api/workers was applied 1 of 2 times.*"],
    ),
    "any": ("fault(status=503, skip=9)", ["The fault on every request was never applied.*"]),
}


@pytest.mark.parametrize(("case", "flags"), [*((case, ()) for case in UNUSED), ("near", COMMAND)])
def test_an_unused_fault_names_the_nearest_request_and_shows_the_log(run_pytest, case, flags):
    rule, lines = UNUSED[case]
    code = f"""
        def test_it(dryline):
            dryline.{rule}
            dryline.client().workers.create(name="A", description=None, status=None)
    """
    result = run_pytest(code, *flags)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines([*lines, "* POST /api/workers 201 *"])


IGNORED = """
    def test_one(dryline):
        create = dryline.client().workers.create
        create(name="A", description=None, status=None, extra_body={"statsu": 1})
        create(name="A", description=None, status=None, extra_body={"statsu": 1, "x": 1})

    def test_two(dryline):
        dryline.client().workers.list(extra_query={"limt": 1})
        dryline.client().workers.list()

    def test_three(dryline_in_process):
        dryline_in_process.client().workers.list(extra_query={"limt": 1})

    def test_four(dryline_server):
        dryline_server.client().workers.list(extra_query={"verbos": 1})
"""
COUNT = (
    "dryline: 5 requests had members or parameters that the API does not have: limt, statsu (did you mean status?), "
    "verbos, x. dryline_strict refuses them."
)


@pytest.mark.parametrize("flags", [(), COMMAND, ("-p", "xdist", "-n", "2")], ids=str)
def test_the_end_of_a_session_counts_requests_with_names_that_the_api_lacks(run_pytest, flags):
    result = run_pytest(IGNORED, *flags)
    result.assert_outcomes(passed=4)
    assert result.outlines.count(COUNT) == 1


def test_the_last_lines_name_tests_whose_requests_were_refused_although_they_passed(run_pytest):
    result = run_pytest(
        """
        import contextlib, brainbase_labs

        def ask():
            with contextlib.suppress(Exception):
                brainbase_labs.BrainbaseLabs(max_retries=0).workers.list()

        def test_a(): ask()
        def test_b(dryline): ask()
        def test_c(): ask()
        """
    )
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["*kept requests of passing tests from the real service: *::test_a and 1 more.*"])


@pytest.mark.parametrize("end", ["pytest.skip('later')", "pytest.xfail('later')", "assert False"])
def test_a_test_that_does_not_pass_may_leave_faults_unused(run_pytest, end):
    result = run_pytest(f"""
        import pytest

        def test_a(dryline):
            dryline.fault(status=503)
            {end}

        def test_b(dryline):
            dryline.fault(status=503)
    """)
    outcomes = result.parseoutcomes()
    assert (outcomes["errors"], outcomes["passed"]) == (1, 1), outcomes
