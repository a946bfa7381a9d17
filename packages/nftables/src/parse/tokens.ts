import { invalid } from '../wire/nft-error.ts'

/** Word of an nft listing, with its line. The end of a line is a word too. */
export interface Token {
  readonly text: string
  /** True if the word was in quotes in the listing. `text` does not contain the quotes. */
  readonly quoted: boolean
  /** Number of the word's line in the listing, from 1. */
  readonly line: number
}

/** Next word of an nft listing. `undefined` after the last word. */
export type Word = Token | undefined

const TOKEN = /"([^"\n]*)"|#[^\n]*|\n|[{};]|[^\s{};"]+|"/g

/** Splits an nft listing into words, without comments after `#`. */
export function tokensIn(listing: string): readonly Token[] {
  const tokens: Token[] = []
  let line = 1
  for (const [text, quoted] of listing.matchAll(TOKEN)) {
    if (!text.startsWith('#')) tokens.push({ text: quoted ?? text, quoted: quoted !== undefined, line })
    if (text === '\n') line += 1
  }
  return tokens
}

/** Reader that returns the words of an nft listing one by one. */
export class Words {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  /** Returns the next word of the listing, or the word `ahead` words later. Does not advance. */
  peek(ahead = 0): Word {
    return this.#tokens[this.#at + ahead]
  }

  /** Number of unread words of the listing. */
  get left(): number {
    return Math.max(this.#tokens.length - this.#at, 0)
  }

  next(): Word {
    return this.#tokens[this.#at++]
  }

  /** Reads the given words if they are the next unquoted words of the listing. */
  take(...texts: readonly string[]): boolean {
    const comes = texts.every((text, ahead) => {
      const token = this.peek(ahead)
      return token !== undefined && !token.quoted && token.text === text
    })
    if (comes) this.#at += texts.length
    return comes
  }

  /** Skips line ends and `;` in the listing. */
  skipEnds(): void {
    while (this.take('\n') || this.take(';'));
  }

  /** Reads the words of a line with its inner blocks, but not the line end. */
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

  /** Reads a word that the syntax of a listing requires. Throws `NftError('INVALID')` if another word comes next. */
  expect(text: string): void {
    if (this.take(text)) return
    const token = this.peek()
    const found = token === undefined ? 'the end' : JSON.stringify(token.text)
    const last = this.#tokens.at(-1)?.line ?? 1
    invalid(`line ${token?.line ?? last}: expected ${JSON.stringify(text)}, found ${found}`)
  }
}
