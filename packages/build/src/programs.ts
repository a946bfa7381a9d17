/** What the process was called by: for a compiled file that is the name of the process, for a script that of its file. */
const CALLED_BY = {
  executable: 'process.argv0.slice(process.argv0.lastIndexOf("/")+1)',
  script: '/([^/]*?)(\\.[cm]?[jt]s)?$/.exec(process.argv[1]??"")?.[1]',
} as const

/** The texts of programs, by the name that each is called by. */
export type Programs = ReadonlyMap<string, string>

/** What an executable is made of: the text that it starts with, and those beside it that this one loads. */
export interface Contents {
  text: string
  modules: readonly string[]
  /** The source map of the text, for the small runtime. */
  map?: string
}

/** One text of several programs, each a function, of which it runs the one whose name it is called by, `main` by any other. */
export function withPrograms(main: string, programs: Programs, place: keyof typeof CALLED_BY): string {
  if (programs.size === 0) return main
  const [first, rest] = split(main, FIRST_LINE)
  const cases = [...programs].map(
    ([name, text]) => `case ${JSON.stringify(name)}:${called(split(text, FIRST_LINE)[1])}break;`,
  )
  return `${first}switch(${CALLED_BY[place]}){${cases.join('\n')}\ndefault:${called(rest)}}\n`
}

/**
 * The same as a module for each program. A runtime looks at all of the module that it starts with, called or not.
 */
export function besidePrograms(main: string, programs: Programs): Contents {
  const modules = [...programs.values()]
  if (modules.length === 0) return { text: main, modules }
  const [first, rest] = split(main, DIRECTIVES)
  const cases = [...programs.keys()].map(
    (name, index) => `case ${JSON.stringify(name)}:require(${JSON.stringify(embeddedModule(index))});return;`,
  )
  return { text: `${first}switch(${CALLED_BY.executable}){${cases.join('')}}\n${rest}`, modules }
}

/** Where a module lies while bun compiles, below the folder of the first; its place in the executable follows from that. */
export const moduleFile = (index: number): string => `${MODULES}/${index}.cjs`

/** bun is not to look for these when it compiles: they are in the executable, and it would copy them into the first. */
export const EMBEDDED = '/$bunfs/root/'

// internal

/** Executables have no such name. */
const MODULES = '.programs'

const embeddedModule = (index: number): string => `${EMBEDDED}${MODULES}/${index}.js`

// On lines of its own: the text may end with a comment.
const called = (text: string): string => `(()=>{${text}\n})();`

/** What only counts on the first line of a file. */
const FIRST_LINE = /^(?:#!.*\n)?/

/** What only counts before all else. */
const DIRECTIVES = /^(?:#!.*\n)?(?:"use strict";\n?)?/

function split(text: string, start: RegExp): [first: string, rest: string] {
  const first = start.exec(text)?.[0] ?? ''
  return [first, text.slice(first.length)]
}
