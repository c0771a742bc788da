package io.indexview.streams.generation;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Generations that stay as they are while the application runs. */
public final class FixedGenerations implements Generations {
  private final Map<String, List<FrozenGeneration>> byRecordSet;

  public FixedGenerations(Collection<FrozenGeneration> generations) {
    byRecordSet =
        generations.stream()
            .collect(
                Collectors.groupingBy(
                    frozen -> frozen.generation().recordSet().name(),
                    Collectors.toUnmodifiableList()));
  }

  @Override
  public List<FrozenGeneration> of(String recordSet) {
    return byRecordSet.getOrDefault(recordSet, List.of());
  }
}
