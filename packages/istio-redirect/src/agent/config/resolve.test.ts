import { describe, expect, test } from 'vitest'
import { resolveValues } from './resolve.ts'
import { goInt } from './variable.ts'

const env = (layer: Record<string, string>) => resolveValues({}, [layer])

describe('a boolean variable', () => {
  test.each(['1', 't', 'T', 'TRUE', 'true', 'True'])('%j is true', (text) => {
    expect(env({ SKIP_TLS_VERIFY: text })).toMatchObject({ values: { skipTlsVerify: true }, warnings: [] })
  })
  test.each(['0', 'f', 'F', 'FALSE', 'false', 'False', ''])('%j is false', (text) => {
    expect(env({ CHAINED_CNI_PLUGIN: text })).toMatchObject({ values: { chainedCniPlugin: false }, warnings: [] })
  })
  test.each(['yes', 'on', 'tRUE', ' true'])('%j is false, with a warning', (text) => {
    const { values, warnings } = env({ CHAINED_CNI_PLUGIN: text })
    expect(values.chainedCniPlugin).toBe(false)
    expect(warnings).toEqual([expect.stringContaining(`CHAINED_CNI_PLUGIN has the value "${text}"`)])
  })
})

describe('a number', () => {
  test.each([
    ['0600', 384],
    ['0o600', 384],
    ['600', 600],
    ['0x1f', 31],
    ['0b11', 3],
    ['1_000', 1000],
    ['-1', -1],
    ['+7', 7],
    ['0', 0],
    ['00', 0],
  ])('%j is %i', (text, value) => {
    expect(goInt(text)).toBe(value)
    expect(env({ KUBECONFIG_MODE: text }).values.kubeconfigMode).toBe(value)
  })
  test.each(['', '08', '1e3', '0x', 'rw', '1.0', '99999999999999999999', '--1', '1 '])(
    '%j is invalid and counts as 0',
    (text) => {
      expect(() => goInt(text)).toThrow('expected a whole number')
      const { values, warnings } = env({ KUBECONFIG_MODE: text })
      expect(values.kubeconfigMode).toBe(0)
      expect(warnings).toHaveLength(text === '' ? 0 : 1)
    },
  )
})

describe('the value of a setting', () => {
  test('comes from the flag, else the first layer that sets it, else the default', () => {
    const layers = [{ CNI_CONF_NAME: 'folder' }, { CNI_CONF_NAME: 'env', POD_NAMESPACE: 'env' }]
    expect(resolveValues({ cniConfName: 'flag' }, layers).values).toMatchObject({ cniConfName: 'flag' })
    expect(resolveValues({}, layers).values).toMatchObject({ cniConfName: 'folder', podNamespace: 'env' })
    expect(resolveValues({}, [{}]).values).toMatchObject({
      cniConfName: '',
      monitoringPort: 15014,
      repairEnabled: true,
    })
  })
  test('is the empty value of a variable that is set but empty', () => {
    const { values } = env({ MOUNTED_CNI_NET_DIR: '', REPAIR_INIT_CONTAINER_EXIT_CODE: '', REPAIR_ENABLED: '' })
    expect(values).toMatchObject({ mountedCniNetDir: '', repairInitContainerExitCode: 0, repairEnabled: false })
  })
  test('for the owned file name comes from either variable, first the one named like the flag', () => {
    expect(env({ ISTIO_OWNED_CNI_CONF_FILENAME: 'a' }).values.istioOwnedCniConfigFilename).toBe('a')
    const both = { ISTIO_OWNED_CNI_CONF_FILENAME: 'a', ISTIO_OWNED_CNI_CONFIG_FILENAME: 'b' }
    expect(env(both).values.istioOwnedCniConfigFilename).toBe('b')
  })
  test('is not read from the prototype of a layer', () => {
    expect(resolveValues({}, [Object.create({ CNI_CONF_NAME: 'x' })]).values.cniConfName).toBe('')
  })
})
