const out: string[] = []
outer: for (let i = 0; i < 4; i++) {
  for (let j = 0; ; j++) {
    if (j === 2) continue outer
    if (i === 2) break outer
    out.push(`${i}${j}`)
  }
}
block: {
  out.push('in')
  if (out.length > 0) break block
  out.push('never')
}
console.log(out.join())
