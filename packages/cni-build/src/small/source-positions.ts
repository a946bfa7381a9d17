import { SourceMap } from 'node:module'
import { isAbsolute, join, relative } from 'node:path'

/** A position in a source file. Lines and columns are counted from 1. */
export interface SourcePosition {
  /** Path of the source file, relative to the working directory. */
  file: string
  line: number
  column: number
}

/** Converts positions in a bundle to positions in the program's source files, with the bundle's source map. */
export interface SourcePositions {
  /** File name by which stack traces refer to the bundle. */
  readonly name: string
  /** Position in a source file for a bundle position, counted from 1. `undefined` for generated code. */
  at(line: number, column: number): SourcePosition | undefined
  /** Position in a source file for an index into the bundle's text. */
  atIndex(text: string, index: number): SourcePosition | undefined
  /** Replaces each bundle position `name:line:column` in a log by the position in the source file. */
  replaceIn(log: string): string
}

/**
 * Reads a bundle's source map.
 *
 * @param map - the source map as JSON
 * @param folder - base folder of the relative source paths in the map
 */
export function sourcePositions(map: string, folder: string): SourcePositions {
  const payload = JSON.parse(map)
  const name: string = payload.file
  const decoded = new SourceMap(payload)
  const at = (line: number, column: number): SourcePosition | undefined => {
    const entry = decoded.findEntry(line - 1, column - 1)
    if (!('originalSource' in entry) || entry.originalSource === undefined) return undefined
    const { originalSource: source, originalLine, originalColumn } = entry
    // A source with a scheme, such as `cni-build:entry`, is generated and has no file.
    if (/^[\w-]+:/.test(source)) return undefined
    const file = relative('', isAbsolute(source) ? source : join(folder, source))
    return { file, line: originalLine + 1, column: originalColumn + 1 }
  }
  return {
    name,
    at,
    atIndex(text, index) {
      const before = text.slice(0, index)
      const lineStart = before.lastIndexOf('\n') + 1
      return at(before.split('\n').length, index - lineStart + 1)
    },
    replaceIn(log) {
      const escaped = name.replaceAll(/[^\w]/g, '\\$&')
      return log.replaceAll(new RegExp(`(?<![\\w./-])${escaped}:(\\d+):(\\d+)`, 'g'), (all, line, column) => {
        const position = at(Number(line), Number(column))
        return position === undefined ? all : positionText(position)
      })
    },
  }
}

export const positionText = ({ file, line, column }: SourcePosition): string => `${file}:${line}:${column}`
