import { relative, resolve } from 'node:path'
import type * as Esbuild from 'esbuild'

/** Pairs of a pattern for esbuild's message text and the advice for the message. */
const HINTS: ReadonlyArray<readonly [RegExp, string]> = [
  [/^Top-level await/, 'Put it into an async function: bytecode is compiled from CommonJS, which has none.'],
  [
    /^No loader is configured for "\.node"/,
    'A native addon cannot be part of one file. Call the kernel through @cni/netns/sys.',
  ],
  [/^No loader is configured/, 'An entry, and all it imports, is TypeScript, JavaScript or JSON.'],
  [
    /^Could not resolve "[^./]/,
    'Is it installed? An executable has no node_modules beside it: all it imports is bundled.',
  ],
  [/^node:\S+ of the small runtime/, 'Write it another way, or build with --runtime bun, which has all of Node.'],
  [/^"import\.meta" is not available/, 'It is {} in an executable: there is no file beside it to be found by a URL.'],
]

/** Formats esbuild's errors or warnings in esbuild's own style. Adds advice for users of `cni-build`. */
export function messagesOf(
  esbuild: typeof Esbuild,
  kind: 'error' | 'warning',
  messages: readonly Esbuild.Message[],
  /** Base folder of the relative file paths in esbuild's messages. */
  folder: string,
): string[] {
  // Drops esbuild's own advice, because it names options of esbuild that `cni-build` does not have.
  const advised = messages.map(({ location, text, ...message }) => ({
    ...message,
    text: describeMessage(text),
    // Omits the source location of a message about a generated module, because the user has no such source file.
    location:
      location && !location.file.startsWith('cni-build:')
        ? { ...location, file: relative('', resolve(folder, location.file)) }
        : null,
    notes: hint(describeMessage(text)),
  }))
  return esbuild.formatMessagesSync(advised, { kind, color: false }).map((text) => text.trim())
}

/** Replaces the path of a small-runtime source file by its Node module's name. */
const describeMessage = (text: string): string =>
  text.replace(
    /^No matching export in ".*\/runtime\/src\/node\/(.+?)(?:\/\1)?\.ts" for import (".+")$/,
    'node:$1 of the small runtime has no member $2',
  )

const hint = (text: string) =>
  HINTS.filter(([about]) => about.test(text))
    .slice(0, 1)
    .map(([, advice]) => ({ text: advice }))
