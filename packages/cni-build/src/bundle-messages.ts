import { relative, resolve } from 'node:path'
import type * as Esbuild from 'esbuild'

/** Advice for messages of esbuild that do not say what to do. */
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

/** Formats errors or warnings as esbuild prints them, each with advice. */
export function messagesOf(
  esbuild: typeof Esbuild,
  kind: 'error' | 'warning',
  messages: readonly Esbuild.Message[],
  /** Folder that the paths in the messages are relative to. */
  folder: string,
): string[] {
  // Drops esbuild's own advice, because that advice names options of esbuild, not of `cni-build`.
  const advised = messages.map(({ location, text, ...message }) => ({
    ...message,
    text: inWords(text),
    // Hides the location of a module that the build generates: the module is not a file of the author.
    location:
      location && !location.file.startsWith('cni-build:')
        ? { ...location, file: relative('', resolve(folder, location.file)) }
        : null,
    notes: hint(inWords(text)),
  }))
  return esbuild.formatMessagesSync(advised, { kind, color: false }).map((text) => text.trim())
}

/**
 * Replaces paths of the small runtime's modules by the names of the modules. A module with submodules has a folder of
 * its own: `fs/fs.ts`.
 */
const inWords = (text: string): string =>
  text.replace(
    /^No matching export in ".*\/runtime\/src\/node\/(.+?)(?:\/\1)?\.ts" for import (".+")$/,
    'node:$1 of the small runtime has no member $2',
  )

const hint = (text: string) =>
  HINTS.filter(([about]) => about.test(text))
    .slice(0, 1)
    .map(([, advice]) => ({ text: advice }))
