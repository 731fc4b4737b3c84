#!/usr/bin/env bash
# Test all documents of a folder, and write a table: ./folder_to_csv.sh P.stela FOLDER verdicts.csv
# Reads text, JSON, and with stela-documents .docx, .pdf, .html and .csv. Exit status 2: some could not be read.
set -euo pipefail
stela detect --profile "${1:?a profile}" --csv "${2:?a folder}" >"${3:?a file to write}"
