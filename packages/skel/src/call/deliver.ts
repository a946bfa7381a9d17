import type { PluginIo } from '../io.ts'
import type { Deadline } from './deadline.ts'

/** Writes the result of a CNI call. A failed write undoes the ADD. */
export async function deliver(document: string, io: PluginIo, { raised }: Deadline): Promise<void> {
  if (io.stdout !== undefined) await Promise.race([io.stdout(document), raised])
}
