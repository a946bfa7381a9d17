import { expect, test } from 'vitest'
import { folderExample } from './examples.ts'
import { answerFolder, filesIn } from './net-folder.ts'

const folder = (text: string) => {
  const found = answerFolder(text)
  if (found.kind === 'problem') throw new Error(found.problem)
  return found
}

test('an invalid first file stops containerd, and CRI-O uses the next', () => {
  const { readings, files, place, after } = folder(folderExample)
  expect(readings.map(({ runtime, runs }) => [runtime, runs])).toEqual([
    ['containerd', 'no'],
    ['cri-o', 'no'],
  ])
  expect(files.map(({ name, isPrimary, problem }) => [name, isPrimary, problem !== undefined])).toEqual([
    ['05-leftover.conflist', false, true],
    ['10-calico.conflist', true, false],
    ['99-loopback.conf', false, false],
  ])
  expect(place).toMatchObject({ kind: 'insert', name: '10-calico.conflist' })
  expect(after.map(({ runs }) => runs)).toEqual(['no', 'yes'])
})

test('a .json file is a single configuration, which becomes a list', () => {
  const { files, place } = folder('==> 10-net.json <==\n{"cniVersion":"1.0.0","name":"n","type":"bridge"}\n')
  expect(files).toEqual([{ name: '10-net.json', types: ['bridge'], isPrimary: true }])
  expect(place).toMatchObject({ kind: 'convert', becomes: '10-net.conflist' })
})

test('Multus runs the copy in its delegates', () => {
  const plugins = [{ type: 'calico' }, { type: 'istio-cni' }]
  const multus = { name: 'multus', type: 'multus', delegates: [{ name: 'k8s', cniVersion: '1.0.0', plugins }] }
  const { readings } = folder(`==> 00-multus.conf <==\n${JSON.stringify({ cniVersion: '1.0.0', ...multus })}\n`)
  expect(readings[0]).toMatchObject({ runs: 'yes', through: 'delegates[0].plugins[1]' })
})

test('text without file names is one list; duplicate names and missing files give error messages', () => {
  expect(filesIn('{}').map(({ name }) => name)).toEqual(['10-pasted.conflist'])
  expect(answerFolder('')).toMatchObject({ kind: 'problem' })
  expect(answerFolder('==> a.conf <==\n{}\n==> /x/a.conf <==\n{}')).toMatchObject({
    problem: expect.stringContaining('a.conf'),
  })
  expect(folder('==> README <==\nhello\n').files[0]?.problem).toMatch(/^not a configuration/)
})

test('256 KiB of files are answered', () => {
  const list = JSON.stringify({
    cniVersion: '1.0.0',
    name: 'n',
    plugins: Array.from({ length: 8000 }, () => ({ type: 'bridge' })),
  })
  expect(folder(`==> 10-a.conflist <==\n${list}${' '.repeat(100_000)}\n`).place.kind).toBe('insert')
})
