"""Uploads as Python's clients do: `uploads.py BASE JOB`, JOB an accepted offer that waits for its client. Prints what was kept."""
import json
import re
import sys

import requests
from pyvo.dal.tap import TAPService

base, job = sys.argv[1:]
url = base + "/jobs/" + job

requests.post(base + "/jobs", data={"OFFER": job, "Input": "param:p1"}, files={"p1": ("points.csv", b"a,b\n1,2\n", "text/csv")}).raise_for_status()
# Writes UPLOAD=mine,param:mine and a part of that name.
TAPService(base).submit_job("SELECT 1", OFFER=job, uploads={"mine": open(__file__, "rb")})
shown = requests.get(url + "/parameters").text
print(json.dumps({
    "shown": re.findall(r'<uws:parameter id="([^"]+)"', shown),
    "byReference": re.findall(r'<uws:parameter id="([^"]+)" byReference="true"', shown),
    "input": requests.get(url + "/parameters/INPUT").text,
    "upload": requests.get(url + "/parameters/UPLOAD").text,
    "mine": requests.get(url + "/parameters/mine").text == open(__file__).read(),
}))
