"""Parameters of measures, as in `-m ndcg.1=3,2=7`: what trec_eval prints, and what is refused."""

from pathlib import Path

import pytest

import rankmill as rm
from command_line import run as command
from command_line import usage_error
from rankmill.trec import evaluate
from rankmill.trec.asked import read_asked
from rankmill.trec.gains import levels
from small_trec import write_files

#: Grades 0 to 4, a document that was pooled and not judged, and one of no judgement.
QRELS = "q 0 d1 3\nq 0 d2 0\nq 0 d3 1\nq 0 d4 4\nq 0 d5 2\nq 0 d6 -1\nq 0 d7 1\n"
RUN = "".join(f"q Q0 {d} 1 {-i} x\n" for i, d in enumerate(("d2", "d3", "u1", "d1", "d6", "d5")))


@pytest.fixture
def graded(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return tmp_path / "qrels", tmp_path / "run"


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("ndcg.1=3.5,2=9.0,4=7.0", "0.3772"),  # of which 3 and 3.5 stand the wrong way round
        ("ndcg.-1=1,0=-0.5", "0.3418"),
        ("dcg.3=1,+1=4", "3.6668"),
        ("ideal_dcg.1=0.5", "6.8928"),
        ("ndcg_rel.2=5,4=0", "0.3211"),
        ("Rndcg.1=3,2=3,0=1", "0.3967"),
        ("G.1=3,2=7,-2=1", "0.2089"),
        ("rbp.p=.5,3=2,4=1", "0.2031"),
        ("rbp_resid.p=0.5", "0.1719"),
        ("relstring.4", "'01-3'"),
        ("utility.2,-1,-1,0.5", "-3.0000"),
        ("yaap", "-0.5878"),
    ],
)
def test_values_of_trec_eval(measure: str, value: str, graded: tuple[Path, Path]) -> None:
    name = measure.replace(".", "_", 1)
    assert command("trec", "-q", "-n", "-m", measure, *graded) == (
        0,
        f"{name:<22}\tq\t{value}\n",
        "",
    )


@pytest.mark.parametrize(
    ("measure", "printed"),
    [
        ("P.10,5", [("P_5", "0.2667"), ("P_10", "0.3000")]),
        ("unj.7", [("unj_7", "0.0000")]),
        (
            "iprec_at_recall..1,0.25,1e-2",
            [
                ("iprec_at_recall_0.01", "0.4617"),
                ("iprec_at_recall_0.10", "0.3885"),
                ("iprec_at_recall_0.25", "0.3018"),
            ],
        ),
        ("Rprec_mult.0,.75", [("Rprec_mult_0.00", "0.0000"), ("Rprec_mult_0.75", "0.2793")]),
        ("set_F.0.5", [("set_F_0.5", "0.1045")]),
        ("utility.1,-.5,-2,0", [("utility_1,-.5,-2,0", "-471.1667")]),
        ("11pt_avg.0.2,0.5,0.8", [("11pt_avg_0.2,0.5,0.8", "0.1894")]),
        ("dcg", [("dcg", "7.9927")]),
        ("ideal_dcg.1=0.5,2=0.25", [("ideal_dcg_1=0.5,2=0.25", "0.0000")]),
        ("ndcg_rel.0=1,1=-2", [("ndcg_rel_0=1,1=-2", "0.1492")]),
        ("Rndcg.1=2", [("Rndcg_1=2", "0.3232")]),
        ("G.1=0", [("G_1=0", "0.0000")]),
        ("rbp.p=.5,1=2,0=1", [("rbp_p=.5,1=2,0=1", "0.6483")]),
    ],
)
def test_means_of_trec_eval(measure: str, printed: list[tuple[str, str]], shared: Path) -> None:
    files = [shared / "trec_eval" / name for name in ("qrels.test", "results.test")]
    lines = "".join(f"{name:<22}\tall\t{value}\n" for name, value in printed)
    assert command("trec", "-m", measure, *files) == (0, lines, "")


@pytest.mark.parametrize(
    ("measures", "prefix", "names"),
    [
        (["P", "P.7"], "P_", ["P_7"]),
        (["P.7", "all_trec"], "P_", ["P_7"]),
        (["P.7", "P.3,7"], "P_", ["P_3", "P_7"]),
        (["P_3", "P.7"], "P_", ["P_3", "P_7"]),
        (["set_F", "set_F.2", "set_F.2"], "set_F", ["set_F_2"]),
    ],
)
def test_parameters_take_the_place_of_defaults(
    measures: list[str], prefix: str, names: list[str], graded: tuple[Path, Path]
) -> None:
    found = evaluate(*graded, measures).summary
    assert [name for name in found if name.startswith(prefix)] == names


def test_all_is_in_the_order_of_trec_eval(shared: Path, tmp_path: Path) -> None:
    """dcg and yaap are not in all_trec."""
    names = list(evaluate(*write_files(tmp_path), ["unj", "yaap", "dcg", "all_trec"]).summary)
    printed = (shared / "trec_eval" / "out.test.a").read_text().splitlines()
    assert [name for name in names if name not in ("dcg", "yaap")] == [
        line.split()[0] for line in printed
    ]
    assert names[names.index("G") + 1] == "dcg"
    assert names[names.index("rbp") - 1] == "yaap"


def test_queries_without_documents(tmp_path: Path) -> None:
    """They count as 0, but for the gains and relevant documents that they lack."""
    files = write_files(tmp_path)
    measures = ["utility.1,1,1,1", "relstring.2", "rbp.p=0.5", "yaap", "ideal_dcg.1=2"]
    found = evaluate(*files, measures, complete=True)
    assert found.queries[-1] == "q3"
    last = {name: values[-1] for name, values in found.values.items()}
    assert last["utility_1,1,1,1"] == last["rbp_p=0.5"] == 0
    assert last["ideal_dcg_1=2"] == 2
    assert f"{last['yaap']:.4f}" == "-0.6931"  # log(1 / 2)
    assert found.strings == ["01", "1", ""]


def test_order_of_gains() -> None:
    """Gains less than 1 apart tie for trec_eval: of 3.5 and 3, the sort says which is better."""
    assert levels({1: 3.5, 2: 9.0, 4: 7.0}, 5) == [(0, 0), (1, 3.5), (3, 3), (4, 7), (2, 9)]
    assert levels({2: 1.0}, 3) == [(0, 0), (2, 1), (1, 1)]
    assert levels({}, 2) == [(0, 0), (1, 1)]


def test_gains_of_huge_grades(tmp_path: Path) -> None:
    qrels, run = write_files(tmp_path)
    qrels.write_text("q1 0 d1 1001\n")
    with pytest.raises(rm.InputError, match="a grade 1001; wanted grades up to 1000"):
        evaluate(qrels, run, ["ndcg.1=2"])


@pytest.mark.parametrize(
    ("measure", "complaint"),
    [
        ("mapp", "unsupported measure 'mapp'; did you mean 'map'?"),
        ("prefs", "unsupported measure 'prefs'; it is not covered"),
        ("P.", "got 'P.'; wanted parameters behind the dot"),
        ("map.5", "got 'map.5'; wanted 'map', which has no parameters"),
        ("official.5", "unsupported measure 'official.5'"),
        ("P.5,", "got '' for P; wanted whole numbers from 1"),
        ("P.0", "got '0' for P; wanted whole numbers from 1"),
        ("P.5.5", "got '5.5' for P; wanted whole numbers from 1"),
        ("P.5x", "got '5x' for P; wanted whole numbers from 1"),
        ("iprec_at_recall.1.5", "got '1.5' for iprec_at_recall; wanted numbers from 0 to 1"),
        ("Rprec_mult.-1", "got '-1' for Rprec_mult; wanted numbers from 0 to 1000000"),
        ("set_F.1,2", "got 'set_F.1,2'; wanted set_F.0.5"),
        ("set_F.nan", "got 'set_F.nan'; wanted set_F.0.5"),
        ("set_F.-1", "got 'set_F.-1'; wanted set_F.0.5"),
        ("utility.1,2", "got 'utility.1,2'; wanted utility.1,-1,0,0"),
        ("relstring.1.5", "got 'relstring.1.5'; wanted relstring.20"),
        ("11pt_avg.0.5,0.2", "wanted levels from 0 to 1 that ascend"),
        ("ndcg.1", "got '1' for ndcg; wanted one such as ndcg.1=3.5,2=9"),
        ("ndcg.1=3,1=4", "got '1=4' for ndcg"),
        ("ndcg.x=3", "got 'x=3' for ndcg"),
        ("ndcg.p=0.5", "got 'p=0.5' for ndcg"),
        ("rbp.p=2", "got 'p=2' for rbp; wanted one such as rbp.p=0.8"),
        ("rbp.1=-1", "got '1=-1' for rbp"),
        ("rbp_resid.1=2", "got '1=2' for rbp_resid"),
    ],
)
def test_what_is_refused(measure: str, complaint: str) -> None:
    """Before any file is looked at."""
    assert complaint in usage_error(command("trec", "-m", measure, "nowhere", "nowhere"))


def test_two_lists_of_parameters() -> None:
    with pytest.raises(rm.MetricError, match=r"got ndcg with '1=2' and '1=3'; wanted one"):
        read_asked(["ndcg.1=2", "ndcg.1=3"])
