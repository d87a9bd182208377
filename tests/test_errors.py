"""Problems and errors: the text a person reads, the order it comes in, and passing between processes."""

import pickle

import pytest

from simio.errors import Place, Problem, RunError, ScenarioError, SimioError, did_you_mean, key_path, quote


def test_a_whole_fault_is_one_line_in_the_agreed_order():
    problem = Problem("hosts.onyx.cpus", "'two'", "a whole number", "write 2", Place("s.yaml", 3, 11))
    assert str(problem) == "s.yaml:3:11: hosts.onyx.cpus: found 'two'; expected a whole number; write 2"


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem("a.b", "1", "2"), "a.b: found 1; expected 2"),
        (Problem("", "1", "2", place=Place("f", 1, 2)), "f:1:2: found 1; expected 2"),
        (Problem("a", "1", ""), "a: found 1"),
        (Problem("a", "", "2"), "a: expected 2"),
        (Problem("a", "", "", "look there"), "a: look there"),
        (Problem("a", "", ""), "a"),
        (Problem("", "1", ""), "found 1"),
    ],
)
def test_parts_that_are_empty_are_left_out(problem, text):
    assert str(problem) == text


def test_a_fault_stays_on_one_line_whatever_was_found():
    assert str(Problem("a\nb", "x\ty\x1b[31m", "z\r")) == r"a\nb: found x\ty\x1b[31m; expected z\r"


def test_faults_come_in_reading_order_by_number_not_by_digit():
    problems = [
        Problem("late", "1", "2", place=Place("a", 10, 1)),
        Problem("early", "1", "2", place=Place("a", 9, 30)),
        Problem("first", "1", "2", place=Place("a", 9, 4)),
        Problem("other file", "1", "2", place=Place("b", 1, 1)),
        Problem("nowhere", "1", "2"),
    ]
    error = ScenarioError(problems)
    assert [problem.path for problem in error.problems] == ["nowhere", "first", "early", "late", "other file"]
    assert str(error).splitlines() == [str(problem) for problem in error.problems]


def test_faults_at_one_place_keep_their_order_and_are_told_once():
    place = Place("f", 1, 1)
    second, first = Problem("z", "1", "2", place=place), Problem("a", "1", "2", place=place)
    assert ScenarioError([second, first, second]).problems == (second, first)


def test_a_single_fault_may_be_given_alone_and_none_at_all_is_a_defect():
    problem = Problem("a", "1", "2")
    assert ScenarioError(problem).problems == (problem,)
    with pytest.raises(ValueError, match="at least one problem"):
        ScenarioError([])


def test_errors_pass_between_processes():
    error = ScenarioError([Problem("a", "1", "2", "h", Place("f", 1, 2))])
    again = pickle.loads(pickle.dumps(error))
    assert again.problems == error.problems
    assert str(again) == str(error)
    assert str(pickle.loads(pickle.dumps(RunError("deadlock")))) == "deadlock"


def test_every_error_a_user_can_cause_ends_with_status_2():
    for error in (SimioError("x"), RunError("x"), ScenarioError(Problem("a", "1", "2"))):
        assert isinstance(error, SimioError)
        assert error.exit_status == 2
    assert RunError("stuck").message == "stuck"


@pytest.mark.parametrize(
    ("word", "candidates", "text"),
    [
        ("adaptors", ["links", "adapters"], "did you mean 'adapters'?"),
        ("HOSTS", ["hosts", "disks"], "did you mean 'hosts'?"),
        ("mhz", ["GHz", "MHz"], "did you mean 'MHz'?"),
        ("zebra", ["hosts", "disks"], ""),
        ("", ["hosts"], ""),
        ("x", [], ""),
    ],
)
def test_did_you_mean(word, candidates, text):
    assert did_you_mean(word, candidates) == text


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (["workload", "blast", "size"], "workload.blast.size"),
        (["links", 0, "between", 1], "links[0].between[1]"),
        ([2, "a"], "[2].a"),
        ([], ""),
    ],
)
def test_key_path(parts, text):
    assert key_path(parts) == text


def test_quote_cuts_and_escapes():
    assert quote("10 KB") == "'10 KB'"
    assert quote("a\nb\ud800") == r"'a\nb\ud800'"
    assert quote("x" * 1000) == "'" + "x" * 59 + "…'"
