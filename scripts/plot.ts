// npm run plot [-- FILE]: writes the tables and pictures of docs/performance.md and docs/benchmarks.md, from the stored
// baseline or from another report.
import '../bench/plot/main.ts'
