/** What {@link itemSplitter} does with the items. */
export interface ItemSplitterOptions {
  /** Longest item, in bytes. */
  readonly maxItemBytes: number
  /** Takes the text of one item. */
  readonly onItem: (text: string) => void
  /** Takes the size of an item that is too long; the item itself is dropped. */
  readonly onTooLong: (bytes: number) => void
}

/** Cuts a list of Kubernetes into its items while it arrives. */
export interface ItemSplitter {
  take(chunk: Uint8Array): void
  /** Whether more than 64 KiB are no items: no list has so much besides them. */
  isNoList(): boolean
  /** The document without its items; empty where that is longer than that of any list. */
  end(): string
}

/**
 * Reads a JSON list item by item, so that only one of its objects is in memory. Finds the items by counting brackets;
 * the caller parses them.
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
        // The byte behind a string; the chunk may end with the string.
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

/** The members of `items` are inside the document and the array. */
const ITEMS_DEPTH = 2

/** Kind, version and metadata of a list take a few hundred bytes. */
const MAX_REST = 64 * 1024

/** Finds the ends of JSON strings, also of those that begin in another chunk. */
function stringScanner() {
  let isOpen = false
  let isEscaped = false
  return {
    isOpen: () => isOpen,
    open(): void {
      isOpen = true
    },
    /** The position behind the string, or the end of the chunk. */
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

/** Puts bytes together up to a limit; of more than that only the number is known. */
function gather(maxBytes: number) {
  let parts: Uint8Array[] = []
  let bytes = 0
  return {
    add(part: Uint8Array): void {
      if (part.length === 0) return
      bytes += part.length
      // Copied: the runtime may use its buffer again.
      if (bytes <= maxBytes) parts.push(new Uint8Array(part))
      else parts = []
    },
    isTooLong: () => bytes > maxBytes,
    /** The last bytes, as text. */
    tail: () => Buffer.concat(parts.slice(-TAIL_PARTS)).subarray(-64).toString('latin1'),
    /** What was put together; `undefined` if it is too long. The next one begins. */
    end(): { readonly text: string | undefined; readonly bytes: number } {
      const all = { text: bytes > maxBytes ? undefined : Buffer.concat(parts).toString('utf8'), bytes }
      parts = []
      bytes = 0
      return all
    },
  }
}

/** `"items":[` in chunks of one byte each, with blanks. */
const TAIL_PARTS = 64
