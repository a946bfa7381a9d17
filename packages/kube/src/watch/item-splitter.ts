/** Options of {@link itemSplitter}. */
export interface ItemSplitterOptions {
  /** Maximum size of an item in bytes. */
  readonly maxItemBytes: number
  /** Receives the text of each item. */
  readonly onItem: (text: string) => void
  /** Receives the size of an item that is too long. The item itself is dropped. */
  readonly onTooLong: (bytes: number) => void
}

/** Splits a Kubernetes list into its items while it arrives. */
export interface ItemSplitter {
  take(chunk: Uint8Array): void
  /** True if the document has more than 64 KiB besides items. No list has that much. */
  isNoList(): boolean
  /** Document without its items; empty if it is longer than a list can be. */
  end(): string
}

/**
 * Splits a JSON list into items, so that only one item is in memory at a time.
 * Finds the items by counting brackets; the caller parses them.
 */
export function itemSplitter({ maxItemBytes, onItem, onTooLong }: ItemSplitterOptions): ItemSplitter {
  const rest = gather(MAX_REST)
  const item = gather(maxItemBytes)
  const string = stringScanner()
  let depth = 0
  let place: 'before' | 'items' | 'behind' = 'before'

  const endItem = (): void => {
    const { text, bytes } = item.end()
    if (text === undefined) onTooLong(bytes)
    else if (text.trim() !== '') onItem(text)
  }

  return {
    take(chunk) {
      let start = 0
      const keep = (end: number): void => {
        const into = place === 'items' ? item : rest
        into.add(chunk.subarray(start, end))
        start = end
      }
      for (let at = 0; at < chunk.length; at += 1) {
        if (string.isOpen()) at = string.skip(chunk, at)
        // Byte after a string. May be missing if the chunk ends with the string.
        const byte = chunk[at]
        const isOnItems = place === 'items' && depth === ITEMS_DEPTH
        if (byte === QUOTE) {
          string.open()
        } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
          depth += 1
          if (place !== 'before' || byte !== OPEN_ARRAY || depth !== ITEMS_DEPTH) continue
          keep(at + 1)
          if (/"items"\s*:\s*\[$/.test(rest.tail())) place = 'items'
        } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
          depth -= 1
          if (!isOnItems) continue
          keep(at)
          endItem()
          place = 'behind'
        } else if (byte === COMMA && isOnItems) {
          keep(at)
          endItem()
          start = at + 1
        }
      }
      keep(chunk.length)
    },
    isNoList: () => rest.isTooLong(),
    end: () => rest.end().text ?? '',
  }
}

// internal

const [QUOTE, BACKSLASH, COMMA, OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = Buffer.from('"\\,{}[]')

/** Depth of the items: inside the document and the array. */
const ITEMS_DEPTH = 2

/** Maximum size of a list without its items: kind, version and metadata are much smaller. */
const MAX_REST = 64 * 1024

/** Finds the ends of JSON strings, also if they span several chunks. */
function stringScanner() {
  let isOpen = false
  let isEscaped = false
  return {
    isOpen: () => isOpen,
    open(): void {
      isOpen = true
    },
    /** Returns the position after the string, or the end of the chunk. */
    skip(chunk: Uint8Array, from: number): number {
      let at = from
      for (;;) {
        if (isEscaped) at += 1
        const quote = chunk.indexOf(QUOTE ?? 0, at)
        const end = quote === -1 ? chunk.length : quote
        let slashes = 0
        while (end - slashes > at && chunk[end - slashes - 1] === BACKSLASH) slashes += 1
        isEscaped = slashes % 2 === 1
        if (quote === -1) return chunk.length
        at = quote
        if (isEscaped) continue
        isOpen = false
        return quote + 1
      }
    },
  }
}

/** Collects bytes up to a limit. Beyond it, only counts them. */
function gather(maxBytes: number) {
  let parts: Uint8Array[] = []
  let bytes = 0
  return {
    add(part: Uint8Array): void {
      if (part.length === 0) return
      bytes += part.length
      // Copies, because the runtime may reuse its buffer.
      if (bytes <= maxBytes) parts.push(new Uint8Array(part))
      else parts = []
    },
    isTooLong: () => bytes > maxBytes,
    /** Last bytes as text. */
    tail: () => Buffer.concat(parts.slice(-TAIL_PARTS)).subarray(-64).toString('latin1'),
    /** Returns the collected text and starts again; `undefined` if it is too long. */
    end(): { readonly text: string | undefined; readonly bytes: number } {
      const all = { text: bytes > maxBytes ? undefined : Buffer.concat(parts).toString('utf8'), bytes }
      parts = []
      bytes = 0
      return all
    },
  }
}

/** Enough parts for `"items":[` with white space in chunks of one byte each. */
const TAIL_PARTS = 64
