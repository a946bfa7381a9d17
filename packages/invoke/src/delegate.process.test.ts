import { readFileSync, rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ScriptFolder, scriptFolder } from '../test/script-folder.ts'
import { delegate } from './delegate.ts'
import { realExec } from './real-exec.ts'

let bin: ScriptFolder
beforeEach(() => {
  bin = scriptFolder()
})
afterEach(() => bin[Symbol.dispose]())

/** Installs a plugin of one version that does not say which in its refusals, and writes down what it is asked. */
const install = (version: string) =>
  bin.script(
    'local',
    `conf=$(cat); echo $CNI_COMMAND >>${bin.dir}/log
case "$CNI_COMMAND$conf" in
VERSION*) printf '{"cniVersion":"${version}","supportedVersions":["${version}"]}' ;;
*'"cniVersion":"${version}"'*) [ $CNI_COMMAND = ADD ] && printf '{"cniVersion":"${version}"}'; exit 0 ;;
*) printf '{"code":1,"msg":"incompatible CNI versions"}'; exit 1 ;;
esac`,
  )
const local = (options = {}) =>
  delegate(
    'local',
    { raw: '{"cniVersion":"1.1.0","name":"net"}', env: { PATH: '/usr/bin:/bin', CNI_PATH: bin.dir } },
    { ...options, timeout: 20_000 },
  )
/** What the plugin was asked since the last look. */
const asked = () => {
  const lines = readFileSync(`${bin.dir}/log`, 'utf8').trim().split('\n')
  rmSync(`${bin.dir}/log`)
  return lines
}

test('the version of a delegate is found out once per file, and anew when the file is another one', async () => {
  install('1.0.0')
  await local().add()
  expect(asked()).toEqual(['ADD', 'VERSION', 'ADD'])
  await local().del()
  expect(asked()).toEqual(['DEL'])
  expect(await local().status()).toMatchObject({ kind: 'skipped' })
  expect(() => asked()).toThrow('ENOENT')

  install('1.1.0')
  expect(await local().status()).toEqual({ kind: 'done', cniVersion: '1.1.0' })
  expect(asked()).toEqual(['VERSION', 'STATUS'])
  await local().gc()
  expect(asked()).toEqual(['GC'])
})

test('what one port found out is not taken for true by another, for which the path may lead elsewhere', async () => {
  install('1.0.0')
  const exec = realExec()
  await local({ exec }).del()
  expect(asked()).toEqual(['DEL', 'VERSION', 'DEL'])
  await local({ exec }).del()
  expect(asked()).toEqual(['DEL'])
  await local({ exec: realExec() }).del()
  expect(asked()).toEqual(['DEL', 'VERSION', 'DEL'])
})
