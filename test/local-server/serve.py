"""Serves a model with llama.cpp's HTTP server, until it is killed: serve.py MODEL PORT [KEY]."""

import signal
import sys

import xllamacpp

model, port, *keys = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path = model
params.hostnames = ["127.0.0.1"]
params.port = int(port)
params.n_parallel = 1
params.verbosity = 1
params.api_keys = keys
server = xllamacpp.Server(params)
signal.pause()
