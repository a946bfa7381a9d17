// npm run plot [-- FILE]: tables and pictures of docs/performance.md and docs/benchmarks.md, from the stored baseline or another report.
import '../bench/plot/main.ts'
