package io.indexview.streams.work;

import io.indexview.streams.lifecycle.work.Work;
import java.util.Collection;

/** Begins works. For one thread. */
public interface JobFactory {

  Job begin(Work work);

  /** Forgets what was kept for works other than these. */
  void keep(Collection<Work> wanted);
}
