import * as z from 'zod/mini'
import { type Settings, settingsSchema } from './settings.ts'

/** Maximum length of the fragment in a shared link. The page offers a file for longer data. */
export const MAX_LINK_CHARS = 8192

/** Maximum length of shared data. Kubernetes' limit of 256 KiB of annotations must fit. */
const MAX_DATA_CHARS = 512 * 1024

const texts = z.record(z.string().check(z.maxLength(400)), z.string())

/** Shared data: the page's settings, and only the annotations and labels of the pod. */
const sharedSchema = z.strictObject({ v: z.literal(1), annotations: texts, labels: texts, settings: settingsSchema })

export interface Shared {
  readonly annotations: Readonly<Record<string, string>>
  readonly labels: Readonly<Record<string, string>>
  readonly settings: Settings
}

/** Encodes shared data as the fragment of a link, without `#`. `undefined` if the fragment would be too long. */
export async function linkOf(shared: Shared): Promise<string | undefined> {
  const packed = await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(sharedText(shared)))
  const fragment = `s=${base64url(packed)}`
  return fragment.length + 1 <= MAX_LINK_CHARS ? fragment : undefined
}

/** Decodes the fragment of a shared link. Throws an `Error` if {@link linkOf} has not created the fragment. */
export async function sharedInLink(fragment: string): Promise<Shared> {
  const [, packed] = /^#?s=([\w-]+)$/.exec(fragment) ?? []
  if (packed === undefined) throw new Error('the link is not one of this page')
  if (fragment.length > MAX_LINK_CHARS) throw new Error(`the link is longer than ${MAX_LINK_CHARS} characters`)
  let text: string
  try {
    text = new TextDecoder().decode(await through(new DecompressionStream('deflate-raw'), bytesOf(packed)))
  } catch (cause) {
    const why = cause instanceof RangeError ? cause.message : 'a part of it is missing'
    throw new Error(`the link cannot be read: ${why}`, { cause })
  }
  return sharedInText(text, 'the link')
}

/** Encodes shared data as the JSON text of a file, for data that is too long for a link. */
export const sharedText = ({ annotations, labels, settings }: Shared): string =>
  JSON.stringify({ v: 1, annotations, labels, settings })

/** Parses text that {@link sharedText} has created. Throws an `Error` with a message for the user. */
export function sharedInText(text: string, what = 'the file'): Shared {
  if (text.length > MAX_DATA_CHARS) throw new Error(`${what} holds more than ${MAX_DATA_CHARS} characters`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Error(`${what} is not one of this page`, { cause })
  }
  const parsed = sharedSchema.safeParse(value)
  if (parsed.success) {
    const { annotations, labels, settings } = parsed.data
    return { annotations, labels, settings }
  }
  const [issue] = parsed.error.issues
  throw new Error(`${what} is not one of this page: ${issue?.path.map(String).join('.') || 'its content'} is not valid`)
}

// internal

/** Limits the output, because a short link may expand to a very long text. */
async function through(
  stream: { readonly readable: ReadableStream<Uint8Array>; readonly writable: WritableStream<BufferSource> },
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const writer = stream.writable.getWriter()
  const written = writer.write(bytes).then(() => writer.close())
  // Ignores the error of the stream's writing side, because the reading side reports the same error.
  written.catch(() => undefined)
  const parts: Uint8Array[] = []
  let length = 0
  const reader = stream.readable.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    parts.push(next.value)
    length += next.value.length
    if (length > MAX_DATA_CHARS) {
      await reader.cancel()
      throw new RangeError(`it holds more than ${MAX_DATA_CHARS} bytes`)
    }
  }
  await written
  const all = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

function base64url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
