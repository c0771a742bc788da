package io.indexview.benchmarks.read;

import java.util.List;

/**
 * One way to read pages of the view. Safe for use by many threads.
 *
 * @param <A> a page as it comes
 */
interface PageSource<A> {
  /** The page that begins with the first row whose {@code id} is not less than a person's. */
  A read(int person, int rows) throws Exception;

  /** Of the rows of a page, in their order. */
  List<String> primaryKeys(A page) throws Exception;
}
