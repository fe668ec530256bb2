"""Plays sequences of decisions through ONNX models with PyPI's onnxruntime.

Every line of standard input is a JSON object: the path of a model that `croupier export --format onnx` wrote, and the
batches of a game, in which each row is a seat's decision:

    {"model": "leduc.onnx", "steps": [{"observation": [[…], …], "legal": [[true, …], …]}, …]}

The answer is one line: {"steps": [{"actions": [[…], …], "value": […]}, …]}, where actions are the logits or action
values, null for those that are illegal. Of a model with memory every step continues the one before it.
"""

import json
import sys

import numpy as np
import onnxruntime


def run(model, steps):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    state = next((i.shape[1] for i in session.get_inputs() if i.name == "state"), 0)
    memory = np.zeros((len(steps[0]["observation"]), state), np.float32)
    answers = []
    for step in steps:
        inputs = {
            "observation": np.array(step["observation"], np.float32),
            "legal": np.array(step["legal"], bool),
        }
        if state:
            inputs["state"] = memory
        names = [o.name for o in session.get_outputs()]
        outputs = dict(zip(names, session.run(names, inputs)))
        memory = outputs.get("next_state")
        actions = outputs["logits"] if "logits" in outputs else outputs["action_values"]
        answers.append({
            "actions": [[float(x) if np.isfinite(x) else None for x in row] for row in actions],
            "value": [float(x) for x in outputs["value"]],
        })
    return {"steps": answers}


for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps(run(request["model"], request["steps"])), flush=True)
