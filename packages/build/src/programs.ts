/** What the process was called by: for a compiled file that is the name of the process, for a script that of its file. */
const CALLED_BY = {
  executable: 'process.argv0.slice(process.argv0.lastIndexOf("/")+1)',
  script: '/([^/]*?)(\\.[cm]?[jt]s)?$/.exec(process.argv[1]??"")?.[1]',
} as const

/**
 * One text of several programs, of which it runs the one whose name it is called by, `main` by any other. Each is a
 * function: a runtime compiles nothing of one that is not called, and reads none of its bytecode.
 */
export function withPrograms(
  main: string,
  programs: ReadonlyMap<string, string>,
  place: keyof typeof CALLED_BY,
): string {
  if (programs.size === 0) return main
  const [first = '', rest] = withoutFirstLine(main)
  const cases = [...programs].map(
    ([name, text]) => `case ${JSON.stringify(name)}:${called(withoutFirstLine(text)[1])}break;`,
  )
  return `${first}switch(${CALLED_BY[place]}){${cases.join('\n')}\ndefault:${called(rest)}}\n`
}

// internal

// On lines of its own: the text may end with a comment.
const called = (text: string): string => `(()=>{${text}\n})();`

/** What only counts on the first line of a file, and the rest. */
function withoutFirstLine(text: string): [first: string, rest: string] {
  const first = /^#!.*\n/.exec(text)?.[0] ?? ''
  return [first, text.slice(first.length)]
}
