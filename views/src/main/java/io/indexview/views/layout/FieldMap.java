package io.indexview.views.layout;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import java.io.IOException;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;

/**
 * The values of a row's fields by name, in the order of the fields; null values are present. All
 * rows of a generation share one {@link Names}, so that a row has an array of its own and no table.
 * Cannot be changed.
 */
final class FieldMap extends AbstractMap<String, Object> {
  private final Names names;
  private final Object[] values;

  /**
   * @param values one for each name; kept, so not to be changed any more
   */
  FieldMap(Names names, Object[] values) {
    this.names = names;
    this.values = values;
  }

  /** Names of fields, all different. */
  static final class Names {
    private final List<String> names;

    /** The names, ready to be written. */
    private final SerializedString[] quoted;

    private final Map<String, Integer> positions = new HashMap<>();

    Names(List<String> names) {
      this.names = List.copyOf(names);
      this.quoted = names.stream().map(SerializedString::new).toArray(SerializedString[]::new);
      for (int i = 0; i < quoted.length; i++) {
        positions.put(names.get(i), i);
      }
    }
  }

  /** Writes what {@link JsonValues#write} does of any map. */
  void write(JsonGenerator json) throws IOException {
    json.writeStartObject();
    for (int i = 0; i < values.length; i++) {
      json.writeFieldName(names.quoted[i]);
      JsonValues.write(values[i], json);
    }
    json.writeEndObject();
  }

  @Override
  public int size() {
    return values.length;
  }

  @Override
  public boolean containsKey(Object name) {
    return names.positions.containsKey(name);
  }

  @Override
  public Object get(Object name) {
    Integer position = names.positions.get(name);
    return position == null ? null : values[position];
  }

  @Override
  public Set<Entry<String, Object>> entrySet() {
    return new AbstractSet<>() {
      @Override
      public int size() {
        return values.length;
      }

      @Override
      public Iterator<Entry<String, Object>> iterator() {
        return new Iterator<>() {
          private int next;

          @Override
          public boolean hasNext() {
            return next < values.length;
          }

          @Override
          public Entry<String, Object> next() {
            if (!hasNext()) {
              throw new NoSuchElementException();
            }
            int position = next;
            next++;
            return new SimpleImmutableEntry<>(names.names.get(position), values[position]);
          }
        };
      }
    };
  }
}
