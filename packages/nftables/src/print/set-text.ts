import { escapeUnsafe } from '@cni/types'

/** A set or a map, in words. */
export interface SetText {
  readonly name: string
  readonly isMap: boolean
  /** nft's words for what keys are, and of a map for what they are mapped to. */
  readonly type: string
  readonly size?: number | undefined
  readonly flags: readonly string[]
  readonly autoMerge?: boolean
  /** As nft writes it. */
  readonly timeout?: string | undefined
  readonly comment?: string | undefined
  /** In nft's order. */
  readonly elements: readonly string[]
}

/** A set with its braces, line by line, without what it is indented by. */
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

/** A comment of a table, a chain or a set: of whomever, and a line all the same. */
export const commentText = (comment: string): string => escapeUnsafe(`comment "${comment}"`)

/** A timeout says the flag, unless there are others to be said. */
function flagLine(flags: readonly string[], timeout: string | undefined): string[] {
  const isSaid = flags.some((flag) => flag !== 'timeout' || timeout === undefined)
  return isSaid ? [`flags ${flags.join(',')}`] : []
}

/** Where an element goes on in the next line. */
const BREAK = ',\n\t\t\t     '

function listed(elements: readonly string[], most: number): string {
  let text = ''
  for (const [at, element] of elements.entries())
    text += (at === 0 ? '' : at % most === 0 ? BREAK : ', ') + escapeUnsafe(element)
  return text
}

/** Of short values nft puts some into a line. */
function perLine(type: string): number {
  const [key = ''] = type.split(' : ')
  return key === 'ipv4_addr' ? 2 : fiveInLine.has(key) ? 5 : 1
}

const fiveInLine: ReadonlySet<string> = new Set(['mark', 'uid', 'gid', 'inet_proto', 'inet_service'])
