import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './exec.ts'
import { EXECUTABLES } from './executables.ts'
import { blocks } from './markdown.ts'
import { manifests } from './pack.ts'

const scripts = new Set(Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts))

/** Our own programs that shell blocks in the docs may call. */
const ours = new Set([
  ...manifests().flatMap(({ manifest: { name, bin = {} } }) => {
    const programs = Object.keys(bin)
    return programs.length === 1 ? [...programs, name] : programs
  }),
  ...Object.keys(EXECUTABLES),
])

/** Other programs that shell blocks in the docs may call. Readers have these programs or can install them. */
const known = new Set(
  'cat kill cd chmod cp crictl ctr curl diff docker echo export helm ip ip6tables-restore ip6tables-save iptables iptables-restore iptables-save jq journalctl k3s kind kubectl ls mkdir mv node npm npx nsenter podman ps rm sh skopeo ss sudo systemctl tail tee vitest tsc biome changeset pnpm'.split(
    ' ',
  ),
)

/** Returns a message for each command in a page's `sh` and `console` blocks that does not exist. */
export function commandProblems(file: string) {
  return blocks(readFileSync(file, 'utf8')).flatMap(({ language, code, line }) => {
    if (language !== 'sh' && language !== 'console') return []
    return commandsOf(language, code)
      .map(problemOf)
      .filter((problem) => problem !== undefined)
      .map((problem) => `the shell block in line ${line}: ${problem}`)
  })
}

/** Splits a shell block of a page into the words of each command, without output and comments. */
function commandsOf(language: string, code: string) {
  const joined = code.replaceAll(/\\\n/g, ' ').replaceAll(/'[^']*'|"[^"]*"/g, 'TEXT')
  const lines = joined.split('\n').flatMap((line) => {
    if (language === 'console') return /^[$#] (.*)$/.exec(line)?.slice(1) ?? []
    return /^\s*(#|$)/.test(line) ? [] : [line]
  })
  return lines
    .map((line) => line.replace(/\s#.*$/, ''))
    .flatMap((line) => line.split(/&&|\|\||[|;]/))
    .map((command) => command.trim().split(/\s+/))
    .map((words) => words.slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word))))
}

function problemOf([program = '', ...args]: string[]): string | undefined {
  const first = args.find((word) => !word.startsWith('-')) ?? ''
  if (program === 'sudo') return problemOf(args)
  if (program === 'npm' && first === 'run') {
    const name = args[args.indexOf('run') + 1] ?? ''
    return scripts.has(name) ? undefined : `npm run ${name} is no script of this repository`
  }
  if (program === 'npx') {
    const tool = first.replace(/(?<=.)@.*$/, '')
    return ours.has(tool) || known.has(tool) ? undefined : `npx ${first}: neither ours nor a tool that this check knows`
  }
  // Accepts any path in `dist`, because earlier commands of the guide build these programs.
  if (program.startsWith('dist/')) return undefined
  const name = program.split('/').at(-1) ?? ''
  return ours.has(name) || known.has(name) ? undefined : `${program} is no command that this check knows`
}
