import { expect, test } from 'vitest'
import { findings, type Kind } from './rules.ts'

const rulesOf = (text: string, kind: Kind = 'comment') => findings(text, kind).map(({ rule }) => rule)

test.each([
  ['opening', 'Whether it does not matter whether a packet comes to it.'],
  ['opening', 'What is read next says what has become of it.'],
  ['opening', 'Those that are not there yet.'],
  ['opening', 'Of a VXLAN; the rest is for other kinds.'],
  ['opening', 'Who served keeps its connections: the one before is left.'],
  ['opening', 'Where the agent looks for plugins.'],
  ['actor', 'Shared by whoever opens the namespace.'],
  ['negated noun', 'An entry without an address is none of an error.'],
  ['negated noun', 'Fails for a name that is no chain.'],
  ['figure of speech', 'The request does without a schema.'],
  ['figure of speech', 'The watch comes to rest after the last event.'],
  ['half a sentence', '`undefined`: in pods.'],
  ['cost', 'Saves 5 ms at each start.'],
])('%s: %s', (rule, text) => {
  expect(rulesOf(text)).toContain(rule)
})

test.each([
  'Loads the code that formats schema errors only after a schema has failed.',
  'True if the rule has no effect on any packet.',
  'Node-level redirect mode; `undefined` means redirection in pods.',
  'Filter. An omitted member matches every rule.',
  'Timeout in milliseconds. Default: 500 ms.',
  'There is no record: look for rules of the other back end and remove them.',
  'A connection that is no longer used is closed.',
  // Comments of hono.
  'Returns the matched route path.',
  'Checks if the given content type should be compressed.',
  'RFC 7230 precedence: Transfer-Encoding overrides Content-Length.',
])('plain: %s', (text) => {
  expect(findings(text, 'comment')).toEqual([])
})

test('a sentence of a comment has at most 20 words, and a code span is one of them', () => {
  const words = (count: number) => `${Array.from({ length: count }, () => 'word').join(' ')}.`
  expect(rulesOf(words(20))).toEqual([])
  expect(rulesOf(words(21))).toEqual(['sentence of 21 words'])
  expect(rulesOf(`The agent runs \`${words(30)}\` at its start.`)).toEqual([])
})

test('a colon and a semicolon end a sentence', () => {
  const half = Array.from({ length: 15 }, () => 'word').join(' ')
  expect(rulesOf(`${half}: ${half}; ${half}.`)).toEqual([])
})

test('a cell has at most 25 words', () => {
  expect(rulesOf(Array.from({ length: 26 }, () => 'word').join('. '), 'cell')).toEqual(['cell of 26 words'])
})

test('a page may ask a question', () => {
  expect(rulesOf('What does the agent do?', 'paragraph')).toEqual([])
})
