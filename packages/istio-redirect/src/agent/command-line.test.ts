import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { helpText, parseCommandLine, settingsTable } from './command-line.ts'
import type { Variable } from './config/variable.ts'
import { variables } from './config/variables.ts'

test('flags are parsed as Istio parses them', () => {
  const argv = ['--cni-conf-name', 'x.conf', '--repair-enabled=false', '--skip-tls-verify', '--kubeconfig-mode=0640']
  expect(parseCommandLine([...argv, '--log_output_level', 'all:debug', '--ctrlz_port=1'])).toMatchObject({
    command: 'run',
    settings: {
      cniConfName: 'x.conf',
      repairEnabled: false,
      skipTlsVerify: true,
      kubeconfigMode: 0o640,
      logOutputLevel: 'all:debug',
    },
  })
})

test('a boolean flag does not take the command for its value', () => {
  expect(parseCommandLine(['--skip-tls-verify', 'status'])).toMatchObject({
    command: 'status',
    settings: { skipTlsVerify: true },
  })
})

test.each<[string[], string]>([
  [['statsu'], 'unknown command "statsu", did you mean status?'],
  [['status', 'node-1'], 'status takes no arguments: "node-1"'],
  [['x\u001b[2J'], 'unknown command "x\\u001b[2J"'],
  [['uninstall', '--dry-run'], '--dry-run cannot be combined with uninstall'],
  [['--force'], '--force needs the command uninstall'],
  [['--json'], '--json needs --dry-run, status or uninstall'],
  [['--dry-rn'], 'unknown flag --dry-rn, did you mean --dry-run?'],
])('%j is refused', (argv, says) => {
  expect(() => parseCommandLine(argv)).toThrow(says)
})

test('a setting without a flag in Istio has no flag here either', () => {
  expect(() => parseCommandLine(['--exclude-namespaces=x'])).toThrow('unknown flag --exclude-namespaces')
})

test('the help lists every setting', () => {
  const help = helpText(false)
  for (const { name, env, envOnly, unused } of Object.values<Variable<unknown>>(variables)) {
    if (!envOnly && !unused) expect(help).toContain(`--${name}`)
    if (!unused) for (const one of env) expect(help).toContain(one)
  }
})

test('the documentation contains the current table of settings', () => {
  const page = new URL('../../../../docs/install-on-nodes.md', import.meta.url)
  expect(readFileSync(page, 'utf8')).toContain(settingsTable())
})
