"""Writes a model of llama.cpp's format, of 340 KB, whose weights are random: it answers letters without sense."""

import string
import sys

import gguf
import numpy

WIDTH, HEADS, INNER, CONTEXT = 64, 2, 128, 2048
SPECIAL = ["<unk>", "<s>", "</s>"]
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
LETTERS = ["\u2581", *string.ascii_letters, *string.digits, *".,!?"]
TOKENS = [*SPECIAL, *BYTES, *LETTERS]

random = numpy.random.default_rng(1)


def weights(*shape: int) -> numpy.ndarray:
    return random.standard_normal(shape).astype(numpy.float32)


writer = gguf.GGUFWriter(sys.argv[1], "llama")
writer.add_name("tiny")
writer.add_context_length(CONTEXT)
writer.add_embedding_length(WIDTH)
writer.add_block_count(1)
writer.add_feed_forward_length(INNER)
writer.add_head_count(HEADS)
writer.add_head_count_kv(HEADS)
writer.add_layer_norm_rms_eps(1e-5)
writer.add_rope_dimension_count(WIDTH // HEADS)
writer.add_vocab_size(len(TOKENS))
writer.add_tokenizer_model("llama")
writer.add_token_list(TOKENS)
writer.add_token_scores([0.0] * len(TOKENS))
kinds = gguf.TokenType
writer.add_token_types(
    [kinds.UNKNOWN, kinds.CONTROL, kinds.CONTROL]
    + [kinds.BYTE] * len(BYTES)
    + [kinds.NORMAL] * len(LETTERS)
)
writer.add_bos_token_id(1)
writer.add_eos_token_id(2)
writer.add_unk_token_id(0)
writer.add_chat_template(
    "{% for message in messages %}{{ message.role }}: {{ message.content }} {% endfor %}"
)

writer.add_tensor("token_embd.weight", weights(len(TOKENS), WIDTH))
for name in ["attn_q", "attn_k", "attn_v", "attn_output"]:
    writer.add_tensor(f"blk.0.{name}.weight", weights(WIDTH, WIDTH) / WIDTH)
for name in ["ffn_gate", "ffn_up"]:
    writer.add_tensor(f"blk.0.{name}.weight", weights(INNER, WIDTH) / WIDTH)
writer.add_tensor("blk.0.ffn_down.weight", weights(WIDTH, INNER) / WIDTH)
for name in ["blk.0.attn_norm", "blk.0.ffn_norm", "output_norm"]:
    writer.add_tensor(f"{name}.weight", numpy.ones(WIDTH, numpy.float32))
# Letters alone are ever likely, so that the answer is text and ends where the caller's bound says.
output = weights(len(TOKENS), WIDTH)
output[: len(SPECIAL) + len(BYTES)] = 0
writer.add_tensor("output.weight", output)

writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
