import { goStringify, jsonItems, jsonMembers, jsonValue, type PluginConf } from '@cni/types'

/** Appends a plugin to a list's text. All other text stays unchanged, so a diff shows only the plugin. */
export function appendPlugin(text: string, plugin: PluginConf): string {
  const array = pluginsSpan(text)
  const items = jsonItems(text, array)
  const last = items.at(-1)
  const from = last?.end ?? array.start + 1
  const to = last?.end ?? array.end - 1
  const { separator, style, tail } = last === undefined ? inEmptyList(text, array) : afterLast(text, array, items, last)
  return text.slice(0, from) + separator + printPlugin(plugin, style) + tail + text.slice(to)
}

/** Removes the plugins for which `isDropped` returns true from the text of a plugin list. */
export function dropPlugins(text: string, isDropped: (index: number) => boolean): string {
  const array = pluginsSpan(text)
  return dropParts(text, array, jsonItems(text, array), isDropped)
}

/** Wraps a single configuration in a plugin list. Moves `cniVersion` from the plugin to the list. */
export function listText(single: string, { name, cniVersion }: { name: string; cniVersion: string }): string {
  const object = jsonValue(single)
  const members = jsonMembers(single, object)
  const without = dropParts(single, object, members, (index) => members[index]?.key === 'cniVersion')
  const lines = without.slice(object.start, jsonValue(without).end).split(/\r?\n/)
  const head = `{\n  "cniVersion": ${JSON.stringify(cniVersion)},\n  "name": ${JSON.stringify(name)},\n  "plugins": [\n    `
  return `${head}${lines.join('\n    ')}\n  ]\n}\n`
}

/** Indentation and line breaks of a plugin in the text of a list. */
interface Style {
  readonly isOneLine: boolean
  readonly newline: string
  /** Indentation of each line of the plugin's JSON except the first line. */
  readonly base: string
  /** Indentation that each nesting level of the plugin's JSON adds. */
  readonly unit: string
}

interface InsertionPoint {
  readonly separator: string
  readonly style: Style
  readonly tail: string
}

/** Finds the value of `plugins` in a list's text. Like Go, uses the last of several such members. */
function pluginsSpan(text: string): ReturnType<typeof jsonValue> {
  const plugins = jsonMembers(text, jsonValue(text)).findLast((one) => one.key === 'plugins')
  if (plugins === undefined) throw new Error('a list without plugins')
  return plugins.value
}

function afterLast(
  text: string,
  array: ReturnType<typeof jsonValue>,
  items: readonly ReturnType<typeof jsonValue>[],
  last: ReturnType<typeof jsonValue>,
): InsertionPoint {
  const lastText = text.slice(last.start, last.end)
  const isOneLine = !lastText.includes('\n')
  const base = indentationAt(text, last.start)
  const inner = /\n([ \t]*)/.exec(lastText)?.[1] ?? ''
  const unit = inner.length > base.length && inner.startsWith(base) ? inner.slice(base.length) : '  '
  const before = items.at(-2)
  const lead = text.slice(array.start + 1, last.start) || (isOneLine ? '' : ' ')
  const separator = before === undefined ? `,${lead}` : text.slice(before.end, last.start)
  return { separator, style: { isOneLine, newline: newlineOf(text), base, unit }, tail: '' }
}

function inEmptyList(text: string, array: ReturnType<typeof jsonValue>): InsertionPoint {
  const newline = newlineOf(text)
  const outer = indentationAt(text, array.start)
  const unit = /\n([ \t]+)/.exec(text)?.[1] ?? '  '
  const style = { isOneLine: !text.trim().includes('\n'), newline, base: outer + unit, unit }
  if (style.isOneLine) return { separator: '', style, tail: '' }
  return { separator: newline + style.base, style, tail: newline + outer }
}

/** Prints the plugin with its members sorted, as Istio's agent does. */
function printPlugin(plugin: PluginConf, { isOneLine, newline, base, unit }: Style): string {
  if (isOneLine) return goStringify(plugin, { sortKeys: true })
  const lines = goStringify(plugin, { sortKeys: true, indent: 1 }).split('\n')
  return lines.map((line) => line.replace(/^ */, (blanks) => unit.repeat(blanks.length))).join(newline + base)
}

/** Removes parts of a JSON text, with their commas and white space. */
function dropParts(
  text: string,
  container: ReturnType<typeof jsonValue>,
  parts: readonly ReturnType<typeof jsonValue>[],
  isDropped: (index: number) => boolean,
): string {
  const kept = parts.map((part, index) => ({ part, index })).filter(({ index }) => !isDropped(index))
  if (kept.length === parts.length) return text
  const inside = kept.map(({ part, index }, place) => {
    const start = place === 0 ? part.start : (parts[index - 1]?.end ?? part.start)
    return text.slice(start, part.end)
  })
  const [first] = parts
  const last = parts.at(-1)
  const lead = kept.length === 0 ? '' : text.slice(container.start + 1, first?.start)
  const tail = kept.length === 0 ? '' : text.slice(last?.end, container.end - 1)
  return `${text.slice(0, container.start + 1)}${lead}${inside.join('')}${tail}${text.slice(container.end - 1)}`
}

function newlineOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** Indentation of the line that contains the position `at` of the text. */
function indentationAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))?.[0] ?? ''
}
