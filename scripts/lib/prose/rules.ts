/** A violation of a rule for plain English, with the words that break the rule. */
export type Finding = { rule: string; words: string }

/** Kind of a checked text. Pages may contain questions and tables; comments must not. */
export type Kind = 'comment' | 'paragraph' | 'cell' | 'title'

/** Maximum number of words in a sentence, by kind of text. A code span counts as one word. */
const MAX_SENTENCE_WORDS = { comment: 20, paragraph: 25, title: 25 } as const

/** Maximum number of words in a table cell. */
const MAX_CELL_WORDS = 25

/** Forbidden beginnings of a text: it must begin with a noun or a verb, not with a clause. */
const OPENING = /^(?:what|who|whose|whom|whoever|whether|how|where|why|that|those|which|whatever|of|nor|neither)\b/i

/** Forbidden words for an unknown actor: a sentence must name the actor. */
const NOBODY = /\b(?:nobody|somebody|someone|whoever|whomever|whosoever|no one)\b/i

/** Forbidden predicates that negate their noun, such as `that is no address`. */
const NEGATED_NOUN =
  /\b(?:(?:is|are|was|were) none|(?:it|that|which|this|they) (?:is|are|was|were) no (?!longer|more|less|matter|different))\b/i

/** Forbidden figures of speech, such as `comes to rest`. Texts use a plain verb instead. */
const FIGURES =
  /\b(?:do(?:es)? without|comes? to rest|lets? go|(?:is|are) told|vouch(?:es)? for|hands? over|go(?:es)? ahead|(?:has|have) the words|takes? itself back|has become of|becomes? of|all that|that which|is (?:as|that) of|those of|that of)\b/i

/** Forbidden fragments that explain a missing member without a verb, such as "`undefined`: in pods". */
const HALF_SENTENCE = /^(?:`?(?:undefined|null|false|true)`?|without|otherwise|absent): \w+(?: \w+)?\.?$/i

/** Forbidden figures in comments, such as times and percentages. Benchmark results belong to the benchmark pages. */
const COST =
  /\b(?:costs?|saves?|takes) (?:about |some |only |up to )?(?:a |an |[\d.]+|half|twice|one |two |three )[^.]*\b(?:ms|µs|us|ns|instructions|kB|MB|percent|%)/i

/** @returns an empty list if the text breaks no rule of plain English */
export function findings(text: string, kind: Kind): Finding[] {
  const plain = withoutMarkup(text)
  const found: Finding[] = []
  const search = (rule: string, pattern: RegExp, where = plain) => {
    const words = pattern.exec(where)?.[0]
    if (words !== undefined) found.push({ rule, words })
  }
  const isQuestion = /^[^.!]*\?/.test(plain)
  if (kind !== 'cell' && !isQuestion) search('opening', OPENING)
  search('actor', NOBODY)
  search('negated noun', NEGATED_NOUN)
  search('figure of speech', FIGURES)
  search('half a sentence', HALF_SENTENCE, text.trim())
  if (kind === 'comment') search('cost', COST)
  if (kind === 'cell') {
    const length = wordCount(plain)
    if (length > MAX_CELL_WORDS) found.push({ rule: `cell of ${length} words`, words: opening(plain) })
    return found
  }
  for (const sentence of sentences(plain)) {
    const length = wordCount(sentence)
    if (length > MAX_SENTENCE_WORDS[kind]) found.push({ rule: `sentence of ${length} words`, words: opening(sentence) })
  }
  return found
}

// internal

/** Replaces code spans, links and addresses by a word, because they are not English. */
const withoutMarkup = (text: string) =>
  text
    .replaceAll(/\{@link(?:code|plain)? +([^}| ]+)[^}]*\}/g, '`$1`')
    .replaceAll(/`[^`]+`/g, 'code')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\bhttps?:\S+/g, 'address')
    .replaceAll(/\*\*?|__/g, '')
    .replaceAll(/\b(e\.g|i\.e|etc|vs|cf)\./g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/** Splits a text into sentences. A colon or a semicolon also ends a sentence, because readers pause there. */
const sentences = (text: string) => [...segmenter.segment(text)].flatMap(({ segment }) => segment.split(/[:;] /))

const wordCount = (text: string) => text.match(/[\p{L}\p{N}][\p{L}\p{N}'’/.@_-]*/gu)?.length ?? 0

const opening = (text: string) => `${text.trim().split(' ').slice(0, 6).join(' ')} …`
