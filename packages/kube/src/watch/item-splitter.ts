/** Options of {@link itemSplitter}, which splits a Kubernetes list into items. */
export interface ItemSplitterOptions {
  /** Maximum size of a list item in bytes. */
  readonly maxItemBytes: number
  /** Called with the JSON text of each list item. */
  readonly onItem: (text: string) => void
  /** Called with the size of a list item that exceeds `maxItemBytes`. The splitter drops the item. */
  readonly onTooLong: (bytes: number) => void
}

/** Splits a Kubernetes list into its items while the list arrives. */
export interface ItemSplitter {
  take(chunk: Uint8Array): void
  /** True if the text outside the items exceeds 64 KiB. Such a text is not a Kubernetes list. */
  isNoList(): boolean
  /** Returns the list's JSON text without its items; empty if that text exceeds 64 KiB. */
  end(): string
}

/** Splits the JSON text of a Kubernetes list, to keep only one item in memory. */
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
        // `at` is the position after the last JSON string. `byte` is `undefined` if the chunk ends there.
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

/** Bracket depth of a list's items: inside the document's brace and the array's bracket. */
const ITEMS_DEPTH = 2

/** Maximum size of a Kubernetes list's JSON text without its items: kind, version and metadata are much smaller. */
const MAX_REST = 64 * 1024

/** Finds the ends of JSON strings, even if a string spans several chunks. */
function stringScanner() {
  let isOpen = false
  let isEscaped = false
  return {
    isOpen: () => isOpen,
    open(): void {
      isOpen = true
    },
    /** Returns the position after the JSON string, or the end of the chunk. */
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

/** Collects the bytes of an item up to a limit. Beyond the limit, only counts the bytes. */
function gather(maxBytes: number) {
  let parts: Uint8Array[] = []
  let bytes = 0
  return {
    add(part: Uint8Array): void {
      if (part.length === 0) return
      bytes += part.length
      // Copies the received bytes, because the JavaScript runtime may reuse their buffer.
      if (bytes <= maxBytes) parts.push(new Uint8Array(part))
      else parts = []
    },
    isTooLong: () => bytes > maxBytes,
    /** Last collected bytes as text, to recognise the start of the list's items. */
    tail: () => Buffer.concat(parts.slice(-TAIL_PARTS)).subarray(-64).toString('latin1'),
    /** Returns the collected text, or `undefined` if the text exceeds the limit. Clears the collected text. */
    end(): { readonly text: string | undefined; readonly bytes: number } {
      const all = { text: bytes > maxBytes ? undefined : Buffer.concat(parts).toString('utf8'), bytes }
      parts = []
      bytes = 0
      return all
    },
  }
}

/** Number of the latest chunks that the splitter searches for `"items":[`. */
const TAIL_PARTS = 64
