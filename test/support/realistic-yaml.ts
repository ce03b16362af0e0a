import type { JsonValue } from '../../functions/shared/kit/json.ts';

interface RealisticYaml {
  readonly name: string;
  readonly text: string;
  readonly key: string;
  readonly wanted: JsonValue;
}

const document = (name: string, key: string, wanted: JsonValue, text: string): RealisticYaml => ({
  name,
  text,
  key,
  wanted,
});

/** Configurations as they lie on robots, each with a change. */
export const REALISTIC_YAML: readonly RealisticYaml[] = [
  document(
    'a model server',
    'sampling.temperature',
    0.25,
    `# served on the head
model: "meta-llama/Llama-3.1-8B-Instruct"
sampling: {
  temperature: 0.7, top_p: 0.95,  # do not touch top_p
  stop: [
    "</s>",
    'Human:',
  ],
}
port: 8000
`,
  ),
  document(
    'lists closed at the margin',
    'max_tokens',
    1024,
    `languages: [
  en, fr,
  de
]
banned_words: [
"]", '[', # both
]
max_tokens: 512
`,
  ),
  document(
    'prompts in blocks',
    'prompts.farewell',
    'Bye.\nSee you: soon # really\n',
    `prompts:
  greeting: |
    Hello, I am Pip.
      [smiles]
    How are you?
  farewell: >-
    Good bye,
    human.
  long: "one
    two
three"
`,
  ),
  document(
    'anchors and merge keys',
    'experts.coder.temperature',
    0,
    `defaults: &defaults
  temperature: 1.0
  retries: 3
experts:
  coder:
    <<: *defaults
    temperature: 0.2   # careful
  writer: {<<: *defaults, retries: 5}
`,
  ),
  document(
    'Windows line ends',
    'name',
    "Pip's brother",
    `\ufeffname: 'Pip'\r\nvoice: {\r\n  rate: 1.1,\r\n}\r\ntags:\r\n- a\r\n- b\r\n`,
  ),
  document(
    'tags of a loader',
    'timeout',
    30,
    `include: !include base.yaml
api_key: !ENV \${OPENAI_API_KEY}
hosts: !ENV ["\${A}", '\${B:default}']
timeout: 10 # s
`,
  ),
  document(
    'a compose-like file',
    'services.llm.environment.MODEL',
    'q8',
    `services:
  llm:
    image: "registry:5000/llm@sha256:0123"
    ports: ["8000:8000", 22:22]
    environment:
      MODEL: q4
      EMPTY:
    command: >
      serve --model $MODEL
      --port 8000
`,
  ),
  document(
    'a ROS parameter file',
    'head_node.ros__parameters.gains',
    [1.0e3, 2, 0.5],
    `head_node:
  ros__parameters:
    use_sim_time: false
    gains: [1.0, 2.0,
            3.0]
    frame: base_link
    limits: {pan: [-1.57,
    1.57]}
`,
  ),
  document(
    'pretty-printed JSON',
    'stop',
    ['a', 'yes', '1e3', '0o17'],
    `{
  "model": "m", "stop": [
    "x"
  ],
  "nested": {"a": {"b": null}}
}
`,
  ),
  document(
    'document markers and a directive',
    'a',
    '2026-01-01',
    `%YAML 1.1
---
# first
a: text
b: [1,
2]
...
`,
  ),
  document(
    'nested lists of maps',
    'functions',
    [
      { name: 'wave', args: [] },
      { name: 'on', args: ['12:30'] },
    ],
    `functions:
  - name: wave
    args: [hand,
  speed]
  - {name: say,
args: [text]}
after: [ok]
`,
  ),
  document(
    'multi-line plain text and comments everywhere',
    'persona',
    'Short.',
    `# head

persona: A friendly robot [small]
  that likes "quotes" and 'more'
  # inside
seed: 12345678901234567890 # big
list:
# one
- 1

# two
-   2
map: { a: 1 , # c
# d
b: 2 }
`,
  ),
];
