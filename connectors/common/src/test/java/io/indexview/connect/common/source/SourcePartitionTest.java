package io.indexview.connect.common.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import net.jqwik.api.constraints.UniqueElements;

class SourcePartitionTest {

  @Property(tries = 200)
  void keepsItsOrderWhenConnectReadsItBack(
      @ForAll @Size(min = 1, max = 8) @UniqueElements List<@StringLength(max = 8) String> names) {
    Map<String, String> reversed = new LinkedHashMap<>();
    Map<String, String> given = new LinkedHashMap<>();
    names.forEach(name -> given.put(name, "x"));
    for (int i = names.size() - 1; i >= 0; i--) {
      reversed.put(names.get(i), "x");
    }
    List<String> written = order(SourcePartition.inConnect(given));

    assertThat(order(SourcePartition.inConnect(reversed))).isEqualTo(written);
    Map<String, String> read = new HashMap<>();
    written.forEach(name -> read.put(name, "x"));
    assertThat(order(read)).isEqualTo(written);
  }

  private static List<String> order(Map<String, String> map) {
    return Arrays.asList(map.keySet().toArray(String[]::new));
  }
}
