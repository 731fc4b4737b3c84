#!/usr/bin/env bash
# From a vLLM server to a verdict: ./vllm_server.sh MODEL, a Hugging Face name or a folder.
# Needs: pip install vllm stela-cli stela-serving stela-learned
set -euo pipefail
MODEL=${1:?name a model, such as Qwen/Qwen3-0.6B}
PORT=${PORT:-8000}

# 1. A secret key, and a profile for this model's tokenizer. The profile does not hold the key.
stela key new -o key.txt
stela profile new --scheme learned-text --language en --model "$MODEL" --key-file key.txt -o served.stela

# 2. The server marks all that it serves. It stops with this script.
STELA_PROFILE=served.stela STELA_KEY_FILE=key.txt \
  vllm serve "$MODEL" --port "$PORT" --logits-processors stela_vllm:Processor ${VLLM_OPTIONS:-} >vllm.log 2>&1 &
trap 'kill %1' EXIT
until curl --silent --fail --output /dev/null "localhost:$PORT/health"; do
  kill -0 %1 || { tail vllm.log; exit 1; }
  sleep 1
done

# 3. A client knows nothing of the mark; its answers are saved as they come.
for prompt in "The history of the city" "In the summer of that year"; do
  curl --silent --fail "localhost:$PORT/v1/completions" --header "Content-Type: application/json" \
    --data "{\"model\": \"$MODEL\", \"prompt\": \"$prompt\", \"max_tokens\": 120, \"temperature\": 1}"
  echo
done >answers.jsonl

# 4. The verdict, without the server and without the model.
stela detect --profile served.stela --key-file key.txt answers.jsonl
