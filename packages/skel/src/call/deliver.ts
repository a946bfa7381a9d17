import type { PluginIo } from '../io.ts'
import type { Deadline } from './deadline.ts'

/** Writes the result of a CNI call. If writing fails, the ADD is undone. */
export async function deliver(document: string, io: PluginIo, { raised }: Deadline): Promise<void> {
  if (io.stdout !== undefined) await Promise.race([io.stdout(document), raised])
}
