import { messageOf } from '@cni/types'
import { documentsInText, type PodDocument, podInText } from '../../explain/pods-in-text.ts'
import type { ToolIo } from '../io.ts'

/** Reads one pod from a file. Throws an `Error` that names the file. */
export const readPod = async (io: ToolIo, path: string, name: string): Promise<PodDocument> =>
  podInText(textOf(io, path), sourceName(path), name)

/** Parses all documents of a YAML or JSON file. */
export const documents = async (io: ToolIo, path: string): Promise<readonly unknown[]> =>
  documentsInText(textOf(io, path), sourceName(path))

const sourceName = (path: string): string => (path === '-' ? 'stdin' : path)

function textOf(io: ToolIo, path: string): string {
  try {
    return io.system.readFile(path)
  } catch (cause) {
    throw new Error(`${sourceName(path)} cannot be read: ${messageOf(cause)}`, { cause })
  }
}
