import { defineGlobal } from '../define.ts'

const codes: Readonly<Record<string, number>> = {
  IndexSizeError: 1,
  NotFoundError: 8,
  NotSupportedError: 9,
  InvalidStateError: 11,
  SyntaxError: 12,
  InvalidAccessError: 15,
  TimeoutError: 23,
  AbortError: 20,
  DataCloneError: 25,
  InvalidCharacterError: 5,
}

/** Error of web APIs, such as AbortError and TimeoutError. */
export class DOMException extends Error {
  readonly #name: string

  constructor(message = '', options: string | { readonly name?: string; readonly cause?: unknown } = 'Error') {
    const { name = 'Error', ...rest } = typeof options === 'string' ? { name: options } : options
    super(message, 'cause' in rest ? { cause: rest.cause } : undefined)
    this.#name = name
  }

  override get name(): string {
    return this.#name
  }

  get code(): number {
    return codes[this.#name] ?? 0
  }

  get [Symbol.toStringTag](): string {
    return 'DOMException'
  }
}

defineGlobal('DOMException', DOMException)
