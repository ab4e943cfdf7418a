# Computes the reference values with R's own functions: Rscript make.R, in this folder.
# Writes r/*.csv, every number with 17 digits, and R's version beside them.

read <- function(name) read.csv(file.path("inputs", paste0(name, ".csv")), colClasses = c(case = "character"))
digits <- function(x) ifelse(is.na(x), "", sprintf("%.17g", x))
write <- function(frame, name) {
  write.csv(frame, file.path("r", paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
}
by_case <- function(frame, f) do.call(rbind, lapply(unique(frame$case), function(name) f(name, frame[frame$case == name, ])))
dir.create("r", showWarnings = FALSE)

# The exact distribution where R has one, else the normal one, without correction for continuity.
# n = differences, zeros included; R leaves zeros out of the ranking, as Wilcoxon did.
write(by_case(read("differences"), function(name, rows) {
  d <- rows$value
  kept <- d[d != 0]
  plain <- length(kept) == length(d) && !any(duplicated(abs(d)))
  normal <- suppressWarnings(wilcox.test(d, exact = FALSE, correct = FALSE))
  exact <- if (plain) wilcox.test(d, exact = TRUE, correct = FALSE)$p.value else NA
  # All changes of sign, counted one by one.
  permuted <- NA
  if (length(kept) <= 13) {
    ranks <- rank(abs(kept))
    signs <- as.matrix(expand.grid(rep(list(c(0, 1)), length(kept))))
    sums <- as.vector(signs %*% ranks)
    v <- sum(ranks[kept > 0])
    permuted <- min(1, 2 * min(mean(sums <= v + 1e-9), mean(sums >= v - 1e-9)))
  }
  data.frame(case = name, v = digits(unname(normal$statistic)), normal = digits(normal$p.value),
             exact = digits(exact), permuted = digits(permuted))
}), "wilcoxon")

write(by_case(read("p_values"), function(name, rows) {
  data.frame(case = name, q = digits(p.adjust(rows$value, method = "BH")))
}), "benjamini_hochberg")

write(by_case(read("samples"), function(name, rows) {
  at <- c(0.025, 0.1, 0.5, 0.9, 0.975)
  data.frame(case = name, at = at, value = digits(unname(quantile(rows$value, at, type = 7))))
}), "quantile")

write(by_case(read("pairs"), function(name, rows) {
  data.frame(case = name, rho = digits(cor(rows$x, rows$y, method = "spearman")))
}), "spearman")

ranked <- by_case(read("differences"), function(name, rows) {
  data.frame(case = name, rank = digits(rank(-rows$value, ties.method = "average")))
})
write(ranked, "rank")

writeLines(c(R.version.string, paste("platform", R.version$platform)), file.path("r", "version.txt"))
