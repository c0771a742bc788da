package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvIterator;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;

/** An iterator of the client, its elements and failures translated. */
final class CheckedIterator<S, T> implements KvIterator<T> {
  private final Iterator<S> source;
  private final Function<S, T> translation;
  private final Runnable onClose;
  private final ClientErrors errors;
  private boolean closed;

  CheckedIterator(
      Iterator<S> source, Function<S, T> translation, Runnable onClose, ClientErrors errors) {
    this.source = source;
    this.translation = translation;
    this.onClose = onClose;
    this.errors = errors;
  }

  @Override
  public boolean hasNext() {
    try {
      return !closed && source.hasNext();
    } catch (RuntimeException e) {
      throw errors.translate(e);
    }
  }

  @Override
  public T next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    try {
      return translation.apply(source.next());
    } catch (RuntimeException e) {
      throw errors.translate(e);
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      onClose.run();
    }
  }
}
