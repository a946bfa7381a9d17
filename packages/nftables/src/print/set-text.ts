import { escapeUnsafe } from '@cni/types'

/** Set or map in the form in which it is printed: texts of its properties and elements. */
export interface SetText {
  readonly name: string
  readonly isMap: boolean
  /** Type of the set's keys in nft's words. For a map, also the type of the data. */
  readonly type: string
  readonly size?: number | undefined
  readonly flags: readonly string[]
  readonly autoMerge?: boolean
  /** Timeout of the set's elements as nft writes it. */
  readonly timeout?: string | undefined
  readonly comment?: string | undefined
  /** Texts of the set's elements, in nft's order. */
  readonly elements: readonly string[]
}

/** Lines of a set or map with its braces, without outer indentation. */
export function setLines(set: SetText): string[] {
  const { name, isMap, type, size, flags, autoMerge = false, timeout, comment, elements } = set
  const lines = [
    `type ${type}`,
    ...(size === undefined ? [] : [`size ${size}`]),
    ...flagLine(flags, timeout),
    ...(autoMerge ? ['auto-merge'] : []),
    ...(timeout === undefined ? [] : [`timeout ${timeout}`]),
    ...(comment === undefined ? [] : [commentText(comment)]),
    ...(elements.length === 0 ? [] : [`elements = { ${listed(elements, perLine(type))} }`]),
  ]
  return [escapeUnsafe(`${isMap ? 'map' : 'set'} ${name} {`), ...lines.map((line) => `\t${line}`), '}']
}

/** Comment line of a table, chain or set. Escapes characters in the comment that could end the line. */
export const commentText = (comment: string): string => escapeUnsafe(`comment "${comment}"`)

/**
 * Line with a set's flags. nft omits the flag `timeout` if it is the only flag, because the set's timeout implies it.
 */
function flagLine(flags: readonly string[], timeout: string | undefined): string[] {
  const isSaid = flags.some((flag) => flag !== 'timeout' || timeout === undefined)
  return isSaid ? [`flags ${flags.join(',')}`] : []
}

/** Line break that nft prints between two elements of a set. */
const BREAK = ',\n\t\t\t     '

function listed(elements: readonly string[], most: number): string {
  let text = ''
  for (const [at, element] of elements.entries())
    text += (at === 0 ? '' : at % most === 0 ? BREAK : ', ') + escapeUnsafe(element)
  return text
}

/** Number of set elements that nft prints on a line. Several short values share a line. */
function perLine(type: string): number {
  const [key = ''] = type.split(' : ')
  return key === 'ipv4_addr' ? 2 : fiveInLine.has(key) ? 5 : 1
}

const fiveInLine: ReadonlySet<string> = new Set(['mark', 'uid', 'gid', 'inet_proto', 'inet_service'])
