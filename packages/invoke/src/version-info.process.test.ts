import { afterAll, describe, expect, test } from 'vitest'
import { scriptFolder } from '../test/script-folder.ts'
import { getVersionInfo } from './version-info.ts'

const bin = scriptFolder()
afterAll(() => bin[Symbol.dispose]())
const stderr = () => undefined
let count = 0

describe('getVersionInfo', () => {
  test.each([
    ['{"cniVersion":"1.1.0","supportedVersions":["0.4.0","1.0.0"]}', 0, ['0.4.0', '1.0.0']],
    ['{"code":4,"msg":"unknown CNI_COMMAND: VERSION"}', 1, ['0.1.0']],
    ['{"cniVersion":"0.2.0"}', 0, ['0.1.0', '0.2.0']],
    ['{"cniVersion":"0.2.0","supportedVersions":[]}', 0, ['0.1.0', '0.2.0']],
  ])('%s with exit code %i returns %j', async (answer, exitCode, versions) => {
    const info = await getVersionInfo(plugin(answer, exitCode), { stderr })
    expect(info.supportedVersions).toEqual(versions)
  })

  test.each([
    ['{"cniVersion":"1.0.0"}', 0, /missing field supportedVersions$/],
    ['{"supportedVersions":["1.0.0"]}', 0, /missing field cniVersion$/],
    ['{"cniVersion":"1.0.0","supportedVersions":["1.0.0",1]}', 0, /expected an array of strings, got \["1\.0\.0",1\]$/],
    ['[]', 0, /expected a JSON object/],
    ['', 0, /unexpected end of JSON input$/],
    ['{"code":4,"msg":"unknown CNI_COMMAND: VERSION","details":"but for another reason"}', 1, /^unknown CNI_COMMAND/],
    ['{"code":7,"msg":"bad"}', 1, /^bad$/],
  ])('%s with exit code %i is rejected', async (answer, exitCode, message) => {
    await expect(getVersionInfo(plugin(answer, exitCode), { stderr })).rejects.toThrow(message)
  })

  test('sends dummy values for unused variables, and the current version on stdin', async () => {
    const path = bin.script(
      'tell',
      `printf '{"cniVersion":"1.1.0","supportedVersions":["%s","%s"]}' "$CNI_NETNS|$CNI_IFNAME|$CNI_PATH|$CNI_CONTAINERID|$CNI_ARGS" "$(sed 's/"/\\\\"/g')"`,
    )
    const info = await getVersionInfo(path, { stderr, env: { PATH: '/bin:/usr/bin', CNI_ARGS: 'outside=1' } })
    expect(info.supportedVersions).toEqual(['dummy|dummy|dummy||', '{"cniVersion":"1.1.0"}'])
  })
})

function plugin(answer: string, exitCode: number): string {
  return bin.script(`plugin-${count++}`, `printf '%s' '${answer}'; exit ${exitCode}`)
}
