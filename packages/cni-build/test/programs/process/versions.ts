console.log(process.versions.bun, typeof process.versions.bun, process.versions.bun === undefined, process.version, process.platform, process.arch)
const { bun, node } = process.versions
console.log(bun, node, process.versions['bun' as string], 'bun' in process.versions, typeof (globalThis as { Bun?: unknown }).Bun)
