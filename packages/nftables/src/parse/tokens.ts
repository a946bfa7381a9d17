import { invalid } from '../wire/nft-error.ts'

/** A word of a listing. The end of a line is a word too. */
export interface Token {
  readonly text: string
  /** True if the word was in quotes. The text does not contain them. */
  readonly quoted: boolean
  /** Line number, from 1. */
  readonly line: number
}

/** A word; `undefined` after the last. */
export type Word = Token | undefined

const TOKEN = /"([^"\n]*)"|#[^\n]*|\n|[{};]|[^\s{};"]+|"/g

/** Words of a listing, without comments after `#`. */
export function tokensIn(listing: string): readonly Token[] {
  const tokens: Token[] = []
  let line = 1
  for (const [text, quoted] of listing.matchAll(TOKEN)) {
    if (!text.startsWith('#')) tokens.push({ text: quoted ?? text, quoted: quoted !== undefined, line })
    if (text === '\n') line += 1
  }
  return tokens
}

/** Reads words one by one. */
export class Words {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  /** The next word, or a later one. */
  peek(ahead = 0): Word {
    return this.#tokens[this.#at + ahead]
  }

  /** Number of words left. */
  get left(): number {
    return Math.max(this.#tokens.length - this.#at, 0)
  }

  next(): Word {
    return this.#tokens[this.#at++]
  }

  /** Reads these words if they come next and are not quoted. Returns true if so. */
  take(...texts: readonly string[]): boolean {
    const comes = texts.every((text, ahead) => {
      const token = this.peek(ahead)
      return token !== undefined && !token.quoted && token.text === text
    })
    if (comes) this.#at += texts.length
    return comes
  }

  /** Skips ends of lines and `;`. */
  skipEnds(): void {
    while (this.take('\n') || this.take(';'));
  }

  /** Reads words up to the end of the line or of the block, without that end. Inner blocks are read completely. */
  line(): readonly Token[] {
    const found: Token[] = []
    for (let depth = 0; ; ) {
      const token = this.peek()
      if (token === undefined) return found
      if (!token.quoted) {
        if (depth === 0 && (token.text === '\n' || token.text === ';' || token.text === '}')) return found
        if (token.text === '{') depth += 1
        if (token.text === '}') depth -= 1
      }
      this.#at += 1
      if (token.text !== '\n' || token.quoted) found.push(token)
    }
  }

  /** Reads a required word. Throws `NftError('INVALID')` for another one. */
  expect(text: string): void {
    if (this.take(text)) return
    const token = this.peek()
    const found = token === undefined ? 'the end' : JSON.stringify(token.text)
    const last = this.#tokens.at(-1)?.line ?? 1
    invalid(`line ${token?.line ?? last}: expected ${JSON.stringify(text)}, found ${found}`)
  }
}
