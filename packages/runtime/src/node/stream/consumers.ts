import { Buffer, bufferFrom } from '../../buffer/buffer.ts'
import { host } from '../../host.ts'

type Source = AsyncIterable<unknown> | Iterable<unknown>

export async function buffer(source: Source): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk instanceof Uint8Array ? chunk : bufferFrom(String(chunk)))
  return Buffer.concat(chunks)
}

export async function text(source: Source): Promise<string> {
  const bytes = await buffer(source)
  const all = host.decode(bytes)
  return all.charCodeAt(0) === 0xfeff ? all.slice(1) : all
}

export async function json(source: Source): Promise<unknown> {
  return JSON.parse(await text(source))
}

export async function arrayBuffer(source: Source): Promise<ArrayBufferLike> {
  return (await buffer(source)).buffer
}

export default { arrayBuffer, buffer, json, text }
